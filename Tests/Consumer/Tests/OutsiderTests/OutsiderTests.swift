import FoundationEssentials
import Latchkey
import LatchkeyTesting
import OutsiderProvider
import OutsiderStore
import Testing

@Suite("A store and a provider from outside")
struct OutsiderTests {
    @Test("The store keeps the contract of stores")
    func store() async throws {
        let folders = Folders()
        try await StoreContract { SnapshotStore(at: folders.next(), context: $0) }.run()
    }

    @Test("The provider keeps the contract of providers")
    func provider() async throws {
        let signIn = SignInRequest.signIn(.password(identifier: "ada", Secret("4711")))
        try await ProviderContract([.init(signIn)]) {
            ProviderContract.Setting(
                GuestbookProvider(at: guests),
                in: ProviderContext(world: .system, transport: GuestService(), cache: KeepingCache()))
        }.run()
    }

    @Test("A wrong pin is refused, and nobody is signed in")
    func wrongPin() async throws {
        let folders = Folders()
        let auth = try client(SnapshotStore(at: folders.next()), GuestService())
        await #expect(throws: AuthError.self) {
            try await auth.signIn(with: "guestbook", .password(identifier: "ada", Secret("1")))
        }
        #expect(try await auth.accounts().isEmpty)
        withExtendedLifetime(folders) {}
    }

    @Test("Signed in with both, the next client of the same files has the session, refreshes it and signs out")
    func survives() async throws {
        let folders = Folders()
        let (folder, service) = (folders.next(), GuestService())
        do {
            let auth = try client(SnapshotStore(at: folder), service)
            _ = try await auth.signIn(with: "guestbook", .password(identifier: "ada", Secret("4711")))
        }
        let auth = try client(SnapshotStore(at: folder), service)
        let first = try await auth.accessToken()
        let second = try await auth.refresh()
        #expect(first.value != second.value)
        #expect(try await auth.signOut() == .revoked)
        await #expect(throws: AuthError.self) { try await auth.accessToken() }
        withExtendedLifetime(folders) {}
    }

    private func client(_ store: SnapshotStore, _ service: GuestService) throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        return try AuthClient.Builder()
            .provider(GuestbookProvider(at: guests)).store(store).transport(service).settings(settings).build()
    }
}

private let guests = "https://guests.example.com"

/// Folders of one test, removed with it.
private final class Folders: Sendable {
    private let root = FileManager.default.temporaryDirectory.path + "/outsider-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func next() -> String { "\(root)/\(UUID().uuidString)" }
}

/// The guest book, as a transport: one guest, a pass that works once.
private actor GuestService: HTTPTransport {
    private var pass: String?
    private var count = 0

    func send(_ request: TransportRequest, deadline: Duration) -> TransportResponse {
        let body = String(decoding: request.body ?? [], as: UTF8.self)
        switch (request.method, request.url.dropFirst(guests.count)) {
        case ("POST", "/session") where body.contains("\"4711\""): return grant()
        case ("POST", "/ticket") where pass.map { body.contains("\"\($0)\"") } == true: return grant()
        case ("POST", "/ticket"):
            return TransportResponse(status: 403, body: Array(#"{"refused":"pass_unknown"}"#.utf8))
        case ("DELETE", "/session"):
            pass = nil
            return TransportResponse(status: 204)
        default: return TransportResponse(status: 403)
        }
    }

    private func grant() -> TransportResponse {
        count += 1
        let next = "pass-\(count)-of-ada-and-nobody-else"
        pass = next
        let ticket = "ticket-\(count)-of-ada-and-nobody-else"
        let text = #"{"guest":"ada","pass":"\#(next)","ticket":"\#(ticket)","seconds":600}"#
        return TransportResponse(status: 200, body: Array(text.utf8))
    }
}
