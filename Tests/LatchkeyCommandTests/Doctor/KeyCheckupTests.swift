import Latchkey
import LatchkeyTesting
import Testing

@testable import LatchkeyCommand

@Suite("doctor: the keys that hosts present")
struct KeyCheckupTests {
    private static let pin = "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM="

    /// Checks a service whose hosts present keys as `key` says.
    private func checks(
        of document: String?, _ texts: ToolTexts = .english,
        key: @escaping @Sendable (String) throws -> PublicKeyPin = { _ in try PublicKeyPin(base64: pin) }
    ) async throws -> [Checkup] {
        let profile = Profile(name: "default", issuer: "https://id.example.com", clientID: "notes")
        let transport = ScriptedTransport()
        let answer = document.map { TransportResponse(status: 200, body: Array($0.utf8)) }
        for path in ["oauth-authorization-server", "openid-configuration"] {
            transport.always(
                "GET", "https://id.example.com/.well-known/\(path)", .answer(answer ?? TransportResponse(status: 404)))
        }
        let service = ServiceCheckups(
            profile: profile, world: .system, texts: texts, transport: transport,
            keys: KeyCheckups(profile: profile, texts: texts, key: key))
        return try await service.all()
    }

    private static let document = """
        {"issuer": "https://id.example.com", "response_types_supported": ["code"],
        "authorization_endpoint": "https://web.example.com/authorize",
        "token_endpoint": "https://api.example.com/token", "revocation_endpoint": "https://api.example.com/revoke",
        "device_authorization_endpoint": "https://id.example.com/device"}
        """

    @Test("Each host that the client sends to is shown once with its pin, in the person's language")
    func shown() async throws {
        let found = try await checks(of: Self.document).filter { $0.check == "pin" }
        #expect(
            found.map(\.message) == [
                "id.example.com presents the key \(Self.pin)", "api.example.com presents the key \(Self.pin)",
            ])
        #expect(found.allSatisfy { $0.verdict == .ok && $0.remedy == nil })
        let french = try await checks(of: Self.document, ToolTexts(language: .french)).last
        #expect(french?.message == "api.example.com présente la clé \(Self.pin)")
    }

    @Test("A host that cannot be reached is a warning, and the others are shown all the same")
    func unreachable() async throws {
        let found = try await checks(of: Self.document) { url in
            if url == "https://id.example.com/" { throw TransportError(.unreachable, wasSent: false) }
            return try PublicKeyPin(base64: Self.pin)
        }.filter { $0.check == "pin" }
        #expect(found.map(\.verdict) == [.warn, .ok])
        #expect(found.first?.remedy != nil)
    }

    @Test("A host whose identity TLS does not establish is a failure, and its key is not shown")
    func unverified() async throws {
        let found = try await checks(of: Self.document) { _ in throw TransportError(.tls, wasSent: false) }
            .filter { $0.check == "pin" }
        #expect(found.map(\.verdict) == [.fail, .fail])
        #expect(found.allSatisfy { $0.status == .untrusted && !$0.message.contains("=") })
    }

    @Test("No key is looked at if there is no service, and none of a host without TLS")
    func none() async throws {
        let without = try await checks(of: nil) { _ in throw TransportError(.invalidRequest, wasSent: false) }
        #expect(!without.contains { $0.check == "pin" })
        let profile = Profile(name: "default", issuer: "http://127.0.0.1:1", clientID: "notes")
        let keys = KeyCheckups(profile: profile, texts: .english) { _ in throw CancellationError() }
        #expect(try await keys.all(of: ["http://127.0.0.1:1/token", nil, "nowhere"]).isEmpty)
    }
}
