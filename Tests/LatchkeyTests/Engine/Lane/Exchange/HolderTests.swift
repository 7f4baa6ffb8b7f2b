import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Testing

/// Whose request it was: for how long the next process waits for it, and why.
@Suite("whose request it was") struct HolderTests {
    /// What became of the process that had sent.
    enum Holder: CaseIterable {
        /// It has ended.
        case ended
        /// It runs, or is stopped.
        case running
        /// It is of another container or machine.
        case foreign
        /// Its number is of another boot, and here somebody else has it, or nobody.
        case earlierBoot
        /// An older version wrote the mark, or a system where nobody can tell.
        case unnamed
        /// It runs, and has given the request up.
        case gaveUp
    }

    struct Meeting: Sendable, CustomStringConvertible {
        var holder: Holder
        var rule: ProviderRules.RefreshRule
        /// How long the slowest recent answer took, in milliseconds.
        var seen: Int?
        /// For how many seconds the service is known to repeat its answer.
        var interval: Int?

        var description: String { "\(holder), \(rule), seen \(seen ?? -1) ms, interval \(interval ?? -1) s" }

        /// The rule of `Documentation/Internals/Lane.md`, section 2, step 3.
        var wait: Duration {
            guard [.killsFamily, .newSuccessor].contains(rule) else { return .zero }
            guard [.ended, .gaveUp].contains(holder) else { return .seconds(10) }
            let usual = seen.map { min(10_000, max(1_000, $0 * 3)) } ?? 2_500
            return .milliseconds(min(usual, interval.flatMap { $0 > 0 ? $0 * 500 : nil } ?? 10_000))
        }
    }

    static let meetings = Holder.allCases.flatMap { holder in
        [ProviderRules.RefreshRule.killsFamily, .newSuccessor, .sameSuccessor, .fixed].flatMap { rule in
            [nil, 40, 900, 30_000].flatMap { seen in
                [nil, 0, 1, 5, 60].map { Meeting(holder: holder, rule: rule, seen: seen, interval: $0) }
            }
        }
    }

    @Test("25: a request is waited for as long as somebody may wait for its answer, then as long as the service takes")
    func product() async throws {
        for meeting in Self.meetings {
            let waited = try await Self.waited(meeting)
            #expect(waited == meeting.wait, "\(meeting)")
        }
        print("holders: meetings=\(Self.meetings.count)")
    }

    /// How long the next process waits before it sends.
    private static func waited(_ meeting: Meeting) async throws -> Duration {
        var rules = ProviderRules.scripted()
        rules.refresh = meeting.rule
        rules.reuseInterval = meeting.interval.map { .seconds($0) }
        let (bench, processes) = try await lost(rules)
        try await bench.store.change { try stage(meeting, in: &$0) }
        processes.hasEnded.withLock { $0 = meeting.holder == .ended || meeting.holder == .earlierBoot }
        let next = try process(9, bench, processes)
        let begun = bench.clock.now()
        _ = try await bench.run { try await next.accessToken() }
        return bench.clock.now() - begun
    }

    /// A session whose token has ended, and a refresh of it whose answer a process has lost.
    private static func lost(_ rules: ProviderRules) async throws -> (Bench, Neighbours) {
        let bench = Bench(rules: rules, tokenLifetime: .seconds(60))
        let processes = Neighbours()
        let auth = try process(7, bench, processes)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        bench.clock.advance(by: .seconds(120))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        _ = await code { try await auth.accessToken() }
        return (bench, processes)
    }

    /// Makes the record what the holder of the meeting would have left.
    private static func stage(_ meeting: Meeting, in members: inout [String: JSON]) throws {
        members["slowestAnswer"] = meeting.seen.map { .integer(Int64($0) * 1_000_000) }
        guard var mark = members["mark"]?.object else { return }
        if meeting.holder != .gaveUp { mark["left"] = nil }
        switch meeting.holder {
        case .unnamed: mark["holder"] = nil
        case .foreign:
            var holder = try #require(mark["holder"]?.object)
            holder["space"] = .string("another")
            mark["holder"] = .object(holder)
        case .earlierBoot:
            var sent = try #require(mark["sent"]?.object)
            sent["boot"] = .string("earlier")
            mark["sent"] = .object(sent)
        case .ended, .running, .gaveUp: break
        }
        members["mark"] = .object(mark)
    }

    private static func process(_ seed: UInt64, _ bench: Bench, _ processes: Neighbours) throws -> AuthClient {
        try bench.process(seed: seed) {
            $0.context(
                .testing(clock: bench.clock, seed: seed, processes: processes, observer: bench.observer))
        }
    }

    /// A machine with one space of numbers, where the first process has ended or not.
    private final class Neighbours: ProcessLooking {
        let hasEnded = Locked(false)

        var current: ProcessIdentity? { ProcessIdentity(space: "here", number: 7, began: "1") }

        func state(of process: ProcessIdentity) -> ProcessState {
            guard process.space == "here" else { return .unknown }
            return hasEnded.withLock { $0 } ? .ended : .running
        }
    }

    @Test("a token is used while it lasts at a service that ends the session at a reuse, whoever has ended")
    func lasting() async throws {
        var rules = ProviderRules.scripted()
        rules.refresh = .killsFamily
        let bench = Bench(rules: rules)
        let processes = Neighbours()
        let auth = try Self.process(7, bench, processes)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        _ = await code { try await auth.refresh() }
        processes.hasEnded.withLock { $0 = true }
        let next = try Self.process(9, bench, processes)
        bench.clock.advance(by: .seconds(30))
        #expect(try await bench.run { try await next.accessToken() }.value.revealText() == "access-1")
        #expect(bench.service.refreshCount == 1)
    }

    @Test("25: where the service is known to repeat its answer for a while, it is asked within that time")
    func repeating() async throws {
        var rules = ProviderRules.scripted()
        rules.refresh = .killsFamily
        rules.reuseInterval = .seconds(5)
        let bench = Bench(rules: rules)
        let processes = Neighbours()
        let auth = try Self.process(7, bench, processes)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        _ = await code { try await auth.refresh() }
        let next = try Self.process(9, bench, processes)
        let begun = bench.clock.now()
        #expect(try await bench.run { try await next.refresh() }.value.revealText() == "access-2")
        #expect(bench.clock.now() - begun == .milliseconds(2_500))
    }

    @Test("25: once the service no longer repeats its answer, it is not asked while the token lasts")
    func repeatingNoMore() async throws {
        var rules = ProviderRules.scripted()
        rules.refresh = .killsFamily
        // The last says that a token of this age is refreshed, if the service repeats its answer still.
        for (interval, sent) in [(0, 1), (5, 1), (120, 2)] {
            rules.reuseInterval = .seconds(interval)
            let bench = Bench(rules: rules, tokenLifetime: .seconds(100))
            let processes = Neighbours()
            let auth = try Self.process(7, bench, processes)
            _ = try await auth.signIn(with: "scripted", .anonymous)
            bench.clock.advance(by: .seconds(20))
            bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
            _ = await code { try await auth.refresh() }
            bench.clock.advance(by: .seconds(75))
            let next = try Self.process(9, bench, processes)
            _ = try await bench.run { try await next.accessToken() }
            await bench.settle()
            #expect(bench.service.refreshCount == sent, "\(interval) s")
        }
    }

    @Test("25: a request that the service was slow with before it was given up is waited for as long again")
    func slowness() async throws {
        let (bench, processes) = try await Self.lost(.scripted(refresh: .newSuccessor))
        try await bench.store.change { members in
            var mark = try #require(members["mark"]?.object)
            var left = try #require(mark["left"]?.object)
            left["waited"] = .integer(4_000_000_000)
            mark["left"] = .object(left)
            members["mark"] = .object(mark)
        }
        let next = try Self.process(9, bench, processes)
        let begun = bench.clock.now()
        _ = try await bench.run { try await next.accessToken() }
        #expect(bench.clock.now() - begun == .seconds(4))
    }

    @Test("25: the time is counted from when a process is seen to have ended, and never beyond the mark's own")
    func counting() async throws {
        for (passed, wait) in [(0, 2_500), (3, 2_500), (9, 1_000), (12, 0)] {
            let (bench, processes) = try await Self.lost(.scripted(refresh: .newSuccessor))
            try await bench.forgetLeaving()
            processes.hasEnded.withLock { $0 = true }
            bench.clock.advance(by: .seconds(passed))
            let next = try Self.process(9, bench, processes)
            let begun = bench.clock.now()
            _ = try await bench.run { try await next.accessToken() }
            #expect(bench.clock.now() - begun == .milliseconds(wait), "\(passed) s later")
        }
    }
}
