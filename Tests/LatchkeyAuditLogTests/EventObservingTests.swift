import Latchkey
import LatchkeyLog
import LatchkeyTesting
import Testing

@Suite("Observers that take events")
struct EventObservingTests {
    /// Records each event as an observation of the gate.
    struct Listener: AuthEventObserving {
        let recording = RecordingObserver()

        func observe(_ observation: AuthObservation) {}
        func observe(_ event: AuthEvent) { recording.observe(.gate(locked: event == .locked)) }
    }

    @Test("a composite passes events to those that take them, once each, however deep they are") func composite() {
        let (inner, outer) = (Listener(), Listener())
        let observer = CompositeObserver(
            RecordingObserver(), CompositeObserver(SilentObserver(), inner), outer, LogObserver { _ in })
        observer.observe(AuthEvent.locked)
        observer.observe(AuthEvent.unlocked)
        for listener in [inner, outer] {
            #expect(listener.recording.observations == [.gate(locked: true), .gate(locked: false)])
        }
    }

    @Test("a client tells its observers what it tells its listeners, in the same order") func client() async throws {
        let listener = Listener()
        let auth = try AuthClient.Builder().provider(ScriptedProvider()).transport(ScriptedTransport())
            .context(.testing()).observer(listener).build()
        var told = auth.events.makeAsyncIterator()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(await told.next() != nil)
        #expect(listener.recording.observations.count >= 1)
    }
}
