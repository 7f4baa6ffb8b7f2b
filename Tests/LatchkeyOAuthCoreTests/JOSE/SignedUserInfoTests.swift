import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore
import Proofs
import Testing

@Suite("Signed userinfo (OpenID Connect Core, section 5.3.2)")
struct SignedUserInfoTests {
    private static let now: Int64 = 1_800_000_000
    private static let whole: [String: JSON] = [
        "iss": "https://id.example.com", "aud": ["other", "notes"], "sub": "person-1", "name": "A",
    ]

    private static func code(
        _ changes: [String: JSON?], header: [String: JSON] = [:], for subject: String = "person-1"
    ) throws -> JOSEError.Code? {
        let claims = changes.reduce(into: whole) { $0[$1.key] = $1.value }
        let signer = try IDTokenTests.signer.get()
        let token = try JSONWebSignature.sign(
            JSON.object(claims).serialized(), header: header, with: signer, algorithm: .es256)
        let rules = IDTokenRules(
            issuer: "https://id.example.com", clientID: "notes", now: Date(timeIntervalSince1970: Double(now)))
        do throws(JOSEError) {
            let keys = JSONWebKeySet([JSONWebKey(signer.publicKey)])
            let found = try UserInfo.verify(Secret(token), keys: keys, rules: rules, subject: subject)
            #expect(found.claims == .object(claims) && found.subject == subject)
            return nil
        } catch {
            #expect(!"\(error)".contains("person-1"))
            return error.code
        }
    }

    @Test(
        "what is there is right, and what may be absent is",
        arguments: [
            [:], ["iss": nil], ["aud": nil], ["aud": "notes"], ["iss": .null, "aud": .null],
            ["exp": .integer(now - 59), "nbf": .integer(now + 59), "iat": .integer(now - 1_000_000)],
        ] as [[String: JSON?]])
    func honest(_ changes: [String: JSON?]) throws { #expect(try Self.code(changes) == nil) }

    @Test(
        "a claim that is wrong refuses the whole answer, by a code of its own", .standard(43),
        arguments: [
            (["iss": "https://id.example.com/"], .issuer), (["iss": 7], .claims), (["aud": "other"], .audience),
            (["aud": []], .audience), (["aud": 7], .claims), (["sub": "person-2"], .subjectChanged),
            (["sub": nil], .missingClaim), (["sub": 7], .missingClaim), (["sub": "Person-1"], .subjectChanged),
            (["exp": .integer(now - 60)], .expired), (["exp": "never"], .claims),
            (["nbf": .integer(now + 61)], .notYetValid), (["iat": .integer(now + 61)], .issuedInFuture),
        ] as [([String: JSON?], JOSEError.Code)])
    func wrong(_ changes: [String: JSON?], _ code: JOSEError.Code) throws { #expect(try Self.code(changes) == code) }

    @Test("another kind of token is no userinfo", arguments: ["at+jwt", "application/logout+jwt", "DPoP+JWT"])
    func kinds(_ type: String) throws { #expect(try Self.code([:], header: ["typ": .string(type)]) == .tokenType) }

    @Test("the media type says that claims are signed, in any spelling, and only of an answer that is good")
    func media() throws {
        func signed(_ status: Int, _ type: String?) throws -> Secret? {
            var fields = HeaderFields()
            if let type { fields.add("Content-Type", type) }
            return try UserInfo.signed(in: TransportResponse(status: status, fields: fields, body: Array("a.b.c".utf8)))
        }
        for type in ["application/jwt", "Application/JWT; charset=utf-8"] {
            #expect(try signed(200, type) == Secret("a.b.c"))
        }
        for type in [nil, "application/json", "text/plain", "x-application/jwt"] {
            #expect(try signed(200, type) == nil)
        }
        #expect(throws: AuthError.self) { try signed(500, "application/jwt") }
    }
}
