import LatchkeyFileStore
import LatchkeyTesting
import Testing

@testable import LatchkeySimulation

@testable import Latchkey

/// What is written down of an engine that does its work.
@Suite("Recorded traces") struct LaneRecorderTests {
    /// Signs in, and refreshes twice.
    private func run(_ kind: SimulatedService.Kind) throws -> LaneRecorder {
        let machine = SimulatedMachine(schedule: 3)
        let network = SimulatedNetwork(machine, to: SimulatedService(kind, on: machine), seed: 5)
        let provider = SimulatedProvider(kind)
        let recorder = LaneRecorder(machine, provider.rules.replay)
        let process = SimulatedProcess(on: machine, disk: SimulatedDisk(), seed: 7)
        let context = process.context()
        recorder.note(1, .start)
        let client = try AuthClient.Builder().provider(provider).context(context)
            .store(recorder.store(FileStore(unencryptedAt: "/home/alice/store", context: context), of: 1, in: process))
            .transport(recorder.transport(network.transport(of: process), of: 1, in: process)).build()
        machine.executor.start {
            _ = try? await client.signIn(with: "simulated", .password(identifier: "ada", Secret("x")))
            for _ in 0..<2 {
                let call = recorder.ask(1)
                guard let token = try? await client.refresh() else { continue }
                recorder.note(1, .show(call, access: token.value.revealText(), isDurable: token.isDurable))
            }
        }
        for _ in 0..<5_000 where !machine.executor.step() {
            recorder.note(nil, .quiet)
            guard machine.advance(notPast: MonotonicInstant(nanoseconds: 1_100_000_000_000)) else { break }
        }
        process.kill()
        client.engine.alarm.stop()
        let end = machine.now + .seconds(60)
        while machine.executor.step() || machine.advance(notPast: end) {}
        return recorder
    }

    @Test("a refresh is taken down step by step, and breaks no rule", arguments: SimulatedService.Kind.allCases)
    func refreshes(_ kind: SimulatedService.Kind) throws {
        let recorder = try run(kind)
        #expect(recorder.violation == nil)
        let events = recorder.events.filter { $0.step != .quiet }
        let steps = events.compactMap { $0.description.split(separator: " ").dropFirst(2).first.map(String.init) }
        #expect(steps.filter { $0 == "acquire" }.count == 2)
        #expect(steps.filter { $0 == "release" }.count == 2)
        #expect(steps.filter { $0 == "send" }.count == 2)
        #expect(steps.filter { $0 == "show" }.count == 2)
        // The sign-in, and an answer each; where the token rotates, a mark each, too.
        #expect(steps.filter { $0 == "stored" }.count == (kind == .fixed || kind == .mints ? 3 : 5))
        #expect(LaneEvent.parse(events.map(\.description).joined(separator: "\n")) == events)
    }

    @Test("a trace without its marks is one that the protocol forbids")
    func unmarked() throws {
        let events = try run(.strict).events
        let marks = events.compactMap { event -> String? in
            if case .write(_, let record?, _) = event.step, record.mark != nil { record.write } else { nil }
        }
        #expect(marks.count == 2)
        let found = LaneTrace.firstViolation(
            in: events.filter { event in !marks.contains { event.description.contains("write=\($0)") } }, .killsFamily)
        #expect(found?.violation.rule == .unmarked)
    }
}
