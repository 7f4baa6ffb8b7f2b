import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Testing

@Suite struct CompositeObserverTests {
    /// Notes its name in a list shared with others.
    private struct Noting: AuthObserver {
        let name: String
        let notes: Locked<[String]>
        func observe(_ observation: AuthObservation) { notes.withLock { $0.append(name) } }
    }

    @Test("every part sees everything, in the order given; composites in it are taken apart")
    func order() {
        let notes = Locked<[String]>([])
        func part(_ name: String) -> Noting { Noting(name: name, notes: notes) }
        let observer = CompositeObserver(part("a"), CompositeObserver(part("b"), SilentObserver()), part("c"))
        observer.observe(.gate(locked: true))
        observer.observe(.gate(locked: false))
        #expect(notes.withLock { $0 } == ["a", "b", "c", "a", "b", "c"])
        CompositeObserver([]).observe(.gate(locked: true))
    }

    @Test("observers given to the builder are added to one another and to the context's, whatever the order of calls")
    func builder() async throws {
        let recorders = (0..<4).map { _ in RecordingObserver() }
        let clock = ManualClock()
        let auth = try AuthClient.Builder().observer(recorders[0]).observer(recorders[1])
            .context(.testing(clock: clock, observer: recorders[2])).observer(recorders[3])
            .provider(ScriptedProvider()).transport(ScriptedTransport()).build()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let seen = recorders.map(\.observations)
        #expect(seen[0].contains { if case .signIn = $0 { true } else { false } })
        for others in seen { #expect(others == seen[0]) }
    }

    @Test("the recording observer keeps the newest, in order, and counts them all", arguments: [1, 3, 10])
    func recording(limit: Int) async throws {
        let observer = RecordingObserver(limit: limit)
        let all = (0..<8).map { AuthObservation.store(.credential, .read, .done, took: .seconds($0)) }
        for observation in all { observer.observe(observation) }
        #expect(observer.observations == Array(all.suffix(limit)))
        #expect(observer.count == 8)
        try await ObserverContract(count: { $0.count }) { RecordingObserver(limit: limit) }.run()
        try await ObserverContract { CompositeObserver(RecordingObserver(), SilentObserver()) }.run()
    }
}
