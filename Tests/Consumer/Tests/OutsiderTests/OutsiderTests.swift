import Latchkey
import LatchkeyTesting
import OutsiderProvider
import OutsiderStore
import Testing

@Suite("A store and a provider from outside, together")
struct OutsiderTests {
    @Test("Signed in with both, the next client of the same files has the session, refreshes it and signs out")
    func survives() async throws {
        try await TemporaryFolder.with { folder in
            let service = GuestbookService()
            do {
                let auth = try client(SnapshotStore(at: folder["sessions"]), service)
                _ = try await auth.signIn(with: "guestbook", .password(identifier: "ada", Secret("4711")))
            }
            let auth = try client(SnapshotStore(at: folder["sessions"]), service)
            let first = try await auth.accessToken()
            let second = try await auth.refresh()
            #expect(first.value != second.value)
            #expect(try await auth.signOut() == .revoked)
            await #expect(throws: AuthError.self) { try await auth.accessToken() }
        }
    }

    private func client(_ store: SnapshotStore, _ service: GuestbookService) throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        return try AuthClient.Builder()
            .provider(GuestbookProvider(at: GuestbookService.address)).store(store).transport(service)
            .settings(settings).build()
    }
}
