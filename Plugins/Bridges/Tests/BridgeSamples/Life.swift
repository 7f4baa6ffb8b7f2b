public import Latchkey
import LatchkeyTesting

/// The life of a client in which secrets pass everywhere that they can.
public enum Life {
    private static let mark = "CANARY-77d1f0"
    private static let origin = "https://api.example.com"

    /// What no observer may repeat.
    public static let secrets = [mark, "access-1", "access-2", "access-3", "refresh-1", "refresh-2", "alice"]

    /// Signs in, is refused, refreshes, fails, is signed out by the service, and signs in again.
    public static func run(_ observer: some AuthObserver) async throws {
        let clock = ManualClock()
        let service = ScriptedProvider(rules: .scripted())
        let store = FaultyStore(MemoryStore(context: .testing(clock: clock)))
        let unlock = ScriptedUnlock(clock: clock)
        var settings = EngineSettings()
        settings.refresh = .onDemand
        settings.familyDeadline = settings.requestDeadline
        let auth = try AuthClient.Builder().provider(service).store(store).transport(ScriptedTransport())
            .context(.testing(clock: clock)).settings(settings).unlock(unlock, reason: mark).observer(observer).build()
        unlock.script(.failed(AuthError(.declined, mark)))
        _ = try? await auth.unlock()
        try await auth.unlock()
        let password = SignInMethod.password(identifier: mark, Secret(mark))
        service.script(turns: .failed(AuthError(.refused(.wrongInput), mark)))
        _ = try? await auth.signIn(with: "scripted", password)
        _ = try await auth.signIn(with: "scripted", password)
        _ = try await auth.accessToken()

        let resource = ScriptedTransport()
        let address = "\(origin)/\(mark)?token=\(mark)"
        for status in [401, 401] {
            resource.expect(
                "POST", address,
                .answer(TransportResponse(status: status, fields: ["WWW-Authenticate": mark], body: Array(mark.utf8))))
        }
        let api = try auth.authorized(resource, origins: [origin])
        var request = TransportRequest("POST", address, fields: ["Cookie": mark], body: Array(mark.utf8))
        request.mayBeRepeated = true
        _ = try await api.send(request, deadline: .seconds(60))

        store.failCommits(AuthError(.store(.full), mark))
        _ = try? await auth.refresh()
        store.failCommits(nil)
        clock.advance(by: .seconds(3_600))
        _ = try? await auth.accessToken()
        service.script(refreshes: .refused(Refusal(.definite, code: mark)))
        _ = try? await auth.refresh()
        _ = try await auth.signIn(with: "scripted", password)
        try await auth.signOut()
        await auth.lock()
    }
}
