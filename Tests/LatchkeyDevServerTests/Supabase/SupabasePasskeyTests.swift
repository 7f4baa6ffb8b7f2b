import LatchkeyCrypto
@testable import LatchkeyDevServer
import LatchkeyJSON
import RecordedGoTrue
import Testing

@Suite("Passkeys of the Supabase dialect")
struct SupabasePasskeyTests {
    private static let ada = "ada@example.test"

    /// A harness where Ada has a passkey.
    private func enrolled(
        _ authenticator: inout DevServer.Authenticator, _ change: (inout DevServer.Supabase) -> Void = { _ in }
    ) async throws -> (SupabaseHarness, bearer: String) {
        let harness = try SupabaseHarness(change)
        harness.user(Self.ada)
        let bearer = try await harness.signIn(Self.ada).accessToken
        let asked = try await harness.post("/passkeys/registration/options", [:], bearer: bearer)
        let created = authenticator.create(asked.json["options"] ?? .null)
        let made = try #require(created)
        let registered = try await harness.post(
            "/passkeys/registration/verify",
            ["challenge_id": asked.json["challenge_id"] ?? .null, "credential": made], bearer: bearer)
        try #require(registered.status == 200, "\(registered.text)")
        return (harness, bearer)
    }

    private func signIn(
        _ harness: SupabaseHarness, _ authenticator: inout DevServer.Authenticator,
        _ change: (inout [String: JSON]) -> Void = { _ in }
    ) async throws -> Answer {
        let asked = try await harness.send("POST", "/passkeys/authentication/options")
        let used = authenticator.get(asked.json["options"] ?? .null)
        var answer = try #require(used?.object)
        change(&answer)
        return try await harness.post(
            "/passkeys/authentication/verify",
            ["challenge_id": asked.json["challenge_id"] ?? .null, "credential": .object(answer)])
    }

    @Test("A passkey signs in at the first level, is listed with its use, and no more once it was deleted")
    func works() async throws {
        var authenticator = DevServer.Authenticator()
        let (harness, bearer) = try await enrolled(&authenticator)
        let session = try await signIn(harness, &authenticator)
        let claims = try #require(RecordedExchange.claims(session.accessToken))
        #expect(claims["aal"] == "aal1" && claims["amr"]?.array?.first?["method"] == "passkey")
        let list = try await harness.send("GET", "/passkeys", bearer: bearer).json
        let passkey = try #require(list.array?.first)
        #expect(passkey["last_used_at"] != nil)
        let id = try #require(passkey["id"]?.string)
        #expect(try await harness.send("DELETE", "/passkeys/\(id)", bearer: bearer).status == 204)
        #expect(try await signIn(harness, &authenticator).code == "webauthn_verification_failed")
    }

    @Test("Another origin, another signature, another credential and another challenge are refused")
    func refused() async throws {
        var authenticator = DevServer.Authenticator()
        let (harness, _) = try await enrolled(&authenticator)
        authenticator.origin = "https://evil.test"
        #expect(try await signIn(harness, &authenticator).code == "webauthn_verification_failed")
        authenticator.origin = "https://app.example.test"
        let wrong = try await signIn(harness, &authenticator) { answer in
            var response = answer["response"]?.object ?? [:]
            response["signature"] = .string(Base64URL.encode([0x30, 6, 2, 1, 1, 2, 1, 1]))
            answer["response"] = .object(response)
        }
        #expect(wrong.code == "webauthn_verification_failed")
        let unknown = try await signIn(harness, &authenticator) { ($0["id"], $0["rawId"]) = ("AAAA", "AAAA") }
        #expect(unknown.code == "webauthn_verification_failed")
        let asked = try await harness.post("/passkeys/authentication/options", [:])
        let used = authenticator.get(asked.json["options"] ?? .null)
        let made = try #require(used)
        let body: JSON = ["challenge_id": asked.json["challenge_id"] ?? .null, "credential": made]
        #expect(try await harness.post("/passkeys/authentication/verify", body).status == 200)
        #expect(
            try await harness.post("/passkeys/authentication/verify", body).code == "webauthn_challenge_not_found")
        let late = try await harness.post("/passkeys/authentication/options", [:])
        harness.advance(300)
        let expired = try await harness.post(
            "/passkeys/authentication/verify",
            ["challenge_id": late.json["challenge_id"] ?? .null, "credential": made])
        #expect(expired.code == "webauthn_challenge_expired")
    }

    @Test("One passkey too many, a name too long, a stranger's passkey and a switched-off service are refused")
    func limits() async throws {
        var authenticator = DevServer.Authenticator()
        let (harness, bearer) = try await enrolled(&authenticator) { $0.factorLimit = 1 }
        #expect(
            try await harness.post("/passkeys/registration/options", [:], bearer: bearer).code == "too_many_passkeys")
        let list = try await harness.send("GET", "/passkeys", bearer: bearer).json
        let id = try #require(list.array?.first?["id"]?.string)
        let long = JSON.string(String(repeating: "a", count: 121))
        for name in [long, ""] {
            let answer = try await harness.send("PATCH", "/passkeys/\(id)", ["friendly_name": name], bearer: bearer)
            #expect(answer.code == "validation_failed")
        }
        harness.user("grace@example.test")
        let other = try await harness.signIn("grace@example.test").accessToken
        #expect(try await harness.send("DELETE", "/passkeys/\(id)", bearer: other).status == 404)
        harness.change { $0.allowsPasskeys = false }
        #expect(try await harness.post("/passkeys/authentication/options", [:]).code == "passkey_disabled")
    }

    @Test("An authenticator is a second factor, and its wrong signature is the service's own error")
    func secondFactor() async throws {
        let harness = try SupabaseHarness()
        harness.user(Self.ada)
        var authenticator = DevServer.Authenticator()
        let party: JSON = ["webauthn": ["rpId": "app.example.test", "rpOrigins": ["https://app.example.test"]]]
        func use(_ bearer: String, _ factor: String, breaks: Bool = false) async throws -> Answer {
            let asked = try await harness.post("/factors/\(factor)/challenge", party, bearer: bearer)
            let options = asked.json["webauthn"]?["credential_options"]?["publicKey"] ?? .null
            let isNew = asked.json["webauthn"]?["type"] == "create"
            let given = isNew ? authenticator.create(options) : authenticator.get(options)
            var answer = try #require(given?.object)
            if breaks {
                var response = answer["response"]?.object ?? [:]
                response["signature"] = .string(Base64URL.encode([0x30, 6, 2, 1, 1, 2, 1, 1]))
                answer["response"] = .object(response)
            }
            return try await harness.post(
                "/factors/\(factor)/verify",
                [
                    "challenge_id": asked.json["id"] ?? .null,
                    "webauthn": [
                        "type": asked.json["webauthn"]?["type"] ?? .null, "credential_response": .object(answer),
                    ],
                ], bearer: bearer)
        }
        let first = try await harness.signIn(Self.ada).accessToken
        let enrolled = try await harness.post("/factors", ["factor_type": "webauthn"], bearer: first)
        let factor = try #require(enrolled.json["id"]?.string)
        let empty = try await harness.send("POST", "/factors/\(factor)/challenge", bearer: first)
        #expect(empty.code == "bad_json")
        #expect(try await harness.post("/factors/\(factor)/challenge", [:], bearer: first).code == "validation_failed")
        #expect(try await use(first, factor).status == 200)
        let second = try await harness.signIn(Self.ada).accessToken
        let wrong = try await use(second, factor, breaks: true)
        #expect(wrong.status == 500 && wrong.code == "unexpected_failure")
        let raised = try await use(second, factor)
        let claims = try #require(RecordedExchange.claims(raised.accessToken))
        #expect(claims["aal"] == "aal2")
        #expect(claims["amr"]?.array?.contains { $0["method"] == "mfa/webauthn" } == true)
    }

    @Test("What authenticators write is read, and what is cut short or nested too deep is not")
    func parts() throws {
        let point = [UInt8](repeating: 7, count: 300)
        let value = CBOR.map([
            .init(key: .text("a"), value: .array([.integer(-7), .integer(70_000), .bytes(point)])),
            .init(key: .integer(3), value: .text("é")),
        ])
        let encoded = value.encoded
        #expect(try #require(CBOR.read(encoded[...])).value == value)
        for length in 0..<encoded.count { #expect(CBOR.read(encoded.prefix(length)) == nil) }
        #expect(CBOR.read([UInt8](repeating: 0x81, count: 100)[...]) == nil)
        #expect(CBOR.read([0x9F, 0xFF]) == nil)
        for first in [UInt8(0), 1, 0x80, 0xFF] {
            let raw = [first] + [UInt8](repeating: 1, count: 31) + [UInt8](repeating: 0, count: 31) + [first | 1]
            let encoded = DERSignature.encode(raw)
            #expect(DERSignature.raw(encoded) == raw)
            #expect(DERSignature.raw(Array(encoded.dropLast())) == nil)
            #expect(DERSignature.raw(encoded + [0]) == nil)
        }
    }
}
