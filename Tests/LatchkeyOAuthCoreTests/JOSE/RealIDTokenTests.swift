import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import Testing

@Suite("ID tokens of real servers")
struct RealIDTokenTests {
    @Test("What Keycloak and oidc-provider issue passes with the keys they publish, and not beside them")
    func recorded() throws {
        var passed = 0
        for server in try JSONField(JOSEVectors.read("server-id-tokens"))["servers"].array().compactMap(\.value) {
            let keys = try JSONWebKeySet(parsing: server.member("jwks"))
            for row in try JSONField(server)["tokens"].array().compactMap(\.value) {
                let token = Secret(try row.text("id_token"))
                var rules = IDTokenRules(
                    issuer: try server.text("issuer"), clientID: try row.text("client"),
                    now: Date(timeIntervalSince1970: try JSONField(row)["received"].number()),
                    nonce: row["nonce"]?.string.map { Secret($0) })
                rules.accessToken = row["access_token"]?.string.map { Secret($0) }
                guard row["known"] == .bool(true) else {
                    #expect(
                        refusal { () throws(JOSEError) in
                            try IDToken.validate(token, keys: keys, rules: rules)
                        } == .unknownKeyID)
                    continue
                }
                passed += 1
                let claims = try IDToken.validate(token, keys: keys, rules: rules)
                #expect(!claims.subject.isEmpty)
                rules.now += 86_400
                #expect(
                    refusal { () throws(JOSEError) in
                        try IDToken.validate(token, keys: keys, rules: rules)
                    } == .expired)
            }
        }
        #expect(passed >= 10)
    }
}
