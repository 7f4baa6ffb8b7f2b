import FoundationEssentials
import Latchkey
import LatchkeyTesting
import OutsiderProvider
import Testing

@Suite("Signing in at the guest book")
struct GuestbookProviderTests {
    private static let provider = GuestbookProvider(at: GuestbookService.address)
    private static let ada = SignInMethod.password(identifier: "ada", Secret("4711"))

    @Test("The provider keeps the contract of providers")
    func contract() async throws {
        let over = TransportResponse(status: 403, body: Array(#"{"refused":"pass_unknown"}"#.utf8))
        try await ProviderContract(
            [.init(.signIn(Self.ada))], refusals: [.init(over, is: .definite)]
        ) {
            ProviderContract.Setting(
                Self.provider,
                in: ProviderContext(world: .system, transport: GuestbookService(), cache: KeepingCache()))
        }.run()
    }

    @Test("A wrong pin is refused, and nobody is signed in")
    func wrongPin() async throws {
        let auth = try client(GuestbookService())
        await #expect(throws: AuthError.self) {
            try await auth.signIn(with: "guestbook", .password(identifier: "ada", Secret("1")))
        }
        #expect(try await auth.accounts().isEmpty)
    }

    @Test("What was recorded at the service is understood")
    func recorded() async throws {
        let path = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        let recording = try Data(contentsOf: URL(filePath: path + "/Recorded/Guestbook-sign-in.json"))
        let transport = try RecordedTransport(Array(recording), matching: ["name", "pass"])
        let auth = try client(transport)
        let session = try await auth.signIn(with: "guestbook", Self.ada)
        #expect(session.label == "ada" && session.tokens[.standard]?.value.revealText() == "ticket-1")
        #expect(try await auth.refresh().value.revealText() == "ticket-2")
        try transport.verifyKnown()
        #expect(transport.unused.isEmpty)
    }

    private func client(_ transport: some HTTPTransport) throws -> AuthClient {
        try AuthClient.Builder().provider(Self.provider).transport(transport).build()
    }
}
