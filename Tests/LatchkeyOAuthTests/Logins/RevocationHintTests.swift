import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeyOAuth

@Suite("Revocations, whatever the service's lists say")
struct RevocationHintTests {
    /// A refusal, and whether it is definite.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var response: TransportResponse
        var isDefinite = true

        static let all = [
            Refusal(testDescription: "401 without a body", response: TransportResponse(status: 401)),
            Refusal(testDescription: "403 without a body", response: TransportResponse(status: 403)),
            json(401, "invalid_client"), json(400, "invalid_client"), json(400, "unauthorized_client"),
            json(403, "access_denied"), json(400, "unsupported_token_type"),
            Refusal(testDescription: "503", response: TransportResponse(status: 503), isDefinite: false),
            Refusal(
                testDescription: "a gateway's 401",
                response: TransportResponse(
                    status: 401, fields: ["Content-Type": "text/html"], body: Array("<html>Sign in".utf8)),
                isDefinite: false),
            Refusal(testDescription: "404 without a body", response: TransportResponse(status: 404), isDefinite: false),
        ]

        private static func json(_ status: Int, _ code: String) -> Refusal {
            Refusal(
                testDescription: "\(status) \(code)",
                response: TransportResponse(
                    status: status, fields: ["Content-Type": "application/json"],
                    body: JSON.object(["error": .string(code)]).serialized()))
        }
    }

    private static let withoutNone = ["client_secret_basic", "client_secret_post", "private_key_jwt"]

    @Test("a public client that the list leaves out asks all the same, and is told of it as done")
    func asked() async throws {
        let desk = LoginDesk(.grant)
        desk.service.list(Self.withoutNone)
        let auth = try desk.process(seed: 7)
        try await desk.signIn(auth, .browser)
        #expect(try await auth.signOut() == .revoked)
        #expect(desk.service.revoked == [0] && desk.service.alive == 0)
    }

    @Test("a definite refusal ends the debt at once; anything else is tried again", arguments: Refusal.all)
    func refused(_ refusal: Refusal) async throws {
        let desk = LoginDesk(.grant)
        desk.service.list(Self.withoutNone)
        desk.service.refusal.withLock { $0 = refusal.response }
        let auth = try desk.process(seed: 7)
        try await desk.signIn(auth, .browser)
        #expect(try await auth.signOut() == (refusal.isDefinite ? .revocationRefused : .revocationQueued))
        #expect(try await auth.owedRevocations() == (refusal.isDefinite ? 0 : 1))
    }

    @Test("an answer without a body is a gateway's where the list names clients without a secret")
    func listed() async throws {
        let desk = LoginDesk(.grant)
        desk.service.list(["none", "client_secret_basic"])
        desk.service.refusal.withLock { $0 = TransportResponse(status: 401) }
        let auth = try desk.process(seed: 7)
        try await desk.signIn(auth, .browser)
        #expect(try await auth.signOut() == .revocationQueued)
        #expect(try await auth.owedRevocations() == 1)
    }
}
