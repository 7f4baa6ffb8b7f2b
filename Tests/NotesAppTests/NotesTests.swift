import Latchkey
import LatchkeyTesting
import NotesApp
import Testing

@Suite("An app, tested without a network")
struct NotesTests {
    private static let address = "https://api.example.com/notes"
    private let provider = ScriptedProvider(tokenLifetime: .seconds(600))
    private let transport = ScriptedTransport()
    private let clock = ManualClock()
    private let auth: AuthClient
    private let notes: Notes<ScriptedTransport>

    init() throws {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        auth = try AuthClient.Builder()
            .provider(provider)
            .transport(transport)
            .context(.testing(clock: clock))
            .settings(settings)
            .build()
        notes = try Notes(auth, at: Self.address, over: transport)
    }

    @Test("Whoever has not signed in is asked to, and nothing is sent")
    func signedOut() async throws {
        #expect(await notes.load() == .signIn)
        #expect(transport.requests.isEmpty)
    }

    @Test("The notes are loaded with the token of the person")
    func loads() async throws {
        try await signIn()
        transport.expect("GET", Self.address, .answer(TransportResponse(status: 200, body: Array("milk".utf8))))
        #expect(await notes.load() == .notes("milk"))
        #expect(transport.requests.last?.fields["Authorization"] == "Bearer access-1")
        try transport.verifyFinished()
    }

    @Test("After ten minutes the token is refreshed, once, before it is used")
    func refreshes() async throws {
        try await signIn()
        transport.always("GET", Self.address, .answer(TransportResponse(status: 200, body: Array("milk".utf8))))
        clock.advance(by: .seconds(600))
        #expect(await notes.load() == .notes("milk"))
        #expect(provider.refreshCount == 1)
    }

    @Test("A token that the server refuses is replaced once, and the request repeated")
    func refused() async throws {
        try await signIn()
        transport.expect("GET", Self.address, .answer(TransportResponse(status: 401)))
        transport.expect("GET", Self.address, .answer(TransportResponse(status: 200, body: Array("milk".utf8))))
        #expect(await notes.load() == .notes("milk"))
        #expect(provider.refreshCount == 1)
    }

    @Test("When the service ends the session, the app shows the sign-in")
    func ended() async throws {
        try await signIn()
        provider.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        clock.advance(by: .seconds(600))
        #expect(await notes.load() == .signIn)
    }

    @Test("Without a network the app says so, and the person stays signed in")
    func offline() async throws {
        try await signIn()
        provider.script(refreshes: .failed(TransportError(.unreachable, wasSent: false)))
        clock.advance(by: .seconds(600))
        #expect(await notes.load() == .offline)
        #expect(try await auth.accounts().count == 1)
    }

    private func signIn() async throws {
        _ = try await auth.signIn(with: "scripted", .password(identifier: "alice", Secret("correct horse")))
    }
}
