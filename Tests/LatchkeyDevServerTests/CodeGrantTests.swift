import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@Suite("Code grant")
struct CodeGrantTests {
    @Test("A code gives tokens that work, and an ID token that verifies", arguments: DevServer.Signing.allCases)
    func happy(signing: DevServer.Signing) async throws {
        let harness = try Harness { $0.signing = signing }
        let answer = try await harness.signIn()
        #expect(answer.json["token_type"] == .string("Bearer"))
        #expect(answer.json["expires_in"] == .integer(300))
        #expect(answer.json["scope"] == .string("openid profile email offline_access"))
        #expect(answer.field("Cache-Control") == "no-store")
        let token = try answer.idToken(verifiedBy: try await harness.get("/jwks").json)
        #expect(token.header["alg"] == .string(signing.rawValue))
        #expect(token.claims["iss"] == .string(harness.server.issuer))
        #expect(token.claims["aud"] == .string("dev-native"))
        #expect(token.claims["sub"] == .string("user-ada"))
        #expect(token.claims["nonce"] == .string("n-1"))
        #expect(token.claims["iat"] == .integer(Int64(Harness.start)))
        #expect(token.claims["exp"] == .integer(Int64(Harness.start) + 300))
        #expect(token.claims["auth_time"] == .integer(Int64(Harness.start)))
        let hash = Hash.digest(Array(answer.accessToken.utf8), signing == .edDSA ? .sha512 : .sha256)
        #expect(token.claims["at_hash"] == .string(Base64URL.encode(Array(hash.prefix(hash.count / 2)))))
        let info = try await harness.get("/userinfo", bearer: answer.accessToken)
        #expect(info.json["sub"] == token.claims["sub"])
        #expect(info.json["email"] == .string("ada@example.test"))
        #expect(try await harness.get("/resource", bearer: answer.accessToken).json["hello"] == .string("user-ada"))
    }

    @Test("The userinfo endpoint says more than the ID token, as the scopes allow, and what control tells it to")
    func person() async throws {
        let harness = try Harness()
        let answer = try await harness.signIn()
        let token = try answer.idToken(verifiedBy: try await harness.get("/jwks").json)
        #expect(token.claims["name"] == "Ada Lovelace" && token.claims["family_name"] == nil)
        let document = #"{"subject":"user-ada","displayName":"Ada King","claims":{"locale":"en","sub2":1}}"#
        #expect(try await harness.control("describe", document).status == 200)
        let info = try await harness.get("/userinfo", bearer: answer.accessToken).json
        #expect(info["given_name"] == "Ada" && info["family_name"] == "King" && info["locale"] == "en")
        let gone = #"{"subject":"user-ada","claims":{"locale":null}}"#
        #expect(try await harness.control("describe", gone).status == 200)
        #expect(try await harness.get("/userinfo", bearer: answer.accessToken).json["locale"] == nil)
        let bare = try await harness.signIn(["scope": "openid"])
        let told = try await harness.get("/userinfo", bearer: bare.accessToken).json.object ?? [:]
        #expect(told == ["sub": "user-ada"])
        let listed = try await harness.get("/.well-known/openid-configuration").json["claims_supported"]?.array ?? []
        #expect(listed.contains("family_name") && listed.contains("sub2"))
    }

    @Test("Userinfo is signed on request, by a published key, for the client that asks")
    func signedUserInfo() async throws {
        let harness = try Harness()
        let answer = try await harness.signIn()
        #expect(try await harness.control("configure", #"{"signsUserInfo":true}"#).status == 200)
        let info = try await harness.get("/userinfo", bearer: answer.accessToken)
        #expect(info.field("Content-Type") == "application/jwt")
        let token = try Answer.token(info.text, verifiedBy: try await harness.get("/jwks").json)
        #expect(token.claims["aud"] == "dev-native" && token.claims["sub"] == "user-ada")
        #expect(token.claims["iss"] == .string(harness.server.issuer) && token.claims["family_name"] == "Lovelace")
    }

    @Test("Without offline_access there is no refresh token, without openid no ID token")
    func scopes() async throws {
        let harness = try Harness()
        let online = try await harness.signIn(["scope": "openid"])
        #expect(online.json["refresh_token"] == nil)
        #expect(online.json["id_token"] != nil)
        let plain = try await harness.signIn(["scope": "read"])
        #expect(plain.json["id_token"] == nil)
        let info = try await harness.get("/userinfo", bearer: plain.accessToken)
        #expect(info.status == 403)
        #expect(info.field("WWW-Authenticate")?.contains("error=\"insufficient_scope\"") == true)
    }

    @Test("The hint chooses who signs in")
    func hint() async throws {
        let harness = try Harness()
        let answer = try await harness.signIn(["login_hint": "grace"])
        #expect(try await harness.get("/resource", bearer: answer.accessToken).json["hello"] == .string("user-grace"))
    }

    @Test("A code used twice gives nothing, and kills what the first use gave")
    func replay() async throws {
        let harness = try Harness()
        let code = try await harness.code()
        let first = try await harness.post("/token", Harness.exchange(code))
        #expect(try await harness.isAccepted(first.accessToken))
        #expect(try await harness.post("/token", Harness.exchange(code)).error == "invalid_grant")
        #expect(try await !harness.isAccepted(first.accessToken))
        #expect(try await harness.refresh(first.refreshToken).error == "invalid_grant")
    }

    static let refusals = [
        Row("no grant type", ["grant_type": nil], "invalid_request"),
        Row("an unknown grant", ["grant_type": "password"], "unsupported_grant_type"),
        Row("a grant of other clients", ["grant_type": "client_credentials"], "unauthorized_client"),
        Row("no client", ["client_id": nil], "invalid_request"),
        Row("an unknown client", ["client_id": "nobody"], "invalid_client"),
        Row("a secret of a public client", ["client_secret": "x"], "invalid_client"),
        Row("an assertion", ["client_assertion": "x"], "invalid_client"),
        Row("no code", ["code": nil], "invalid_request"),
        Row("an unknown code", ["code": "dac_x"], "invalid_grant"),
        Row("no redirect", ["redirect_uri": nil], "invalid_request"),
        Row("another port", ["redirect_uri": "http://127.0.0.1:49153/callback"], "invalid_grant"),
        Row("another redirect", ["redirect_uri": "com.example.app:/callback"], "invalid_grant"),
        Row("no verifier", ["code_verifier": nil], "invalid_request"),
        Row("an empty verifier", ["code_verifier": ""], "invalid_request"),
        Row("a short verifier", ["code_verifier": String(repeating: "a", count: 42)], "invalid_request"),
        Row("a long verifier", ["code_verifier": String(repeating: "a", count: 129)], "invalid_request"),
        Row("a foreign character", ["code_verifier": Harness.verifier + "+"], "invalid_request"),
        Row("another verifier", ["code_verifier": String(repeating: "a", count: 43)], "invalid_grant"),
        Row("the challenge as verifier", ["code_verifier": Harness.challenge], "invalid_grant"),
        Row("an unknown resource", ["resource": "https://other.example/"], "invalid_target"),
    ]

    @Test("What is wrong is refused", arguments: refusals)
    func refusal(row: Row) async throws {
        let harness = try Harness()
        let code = try await harness.code()
        let answer = try await harness.post("/token", Harness.exchange(code, row.changes))
        #expect(answer.error == row.error)
        #expect(answer.status == (row.error == "invalid_client" ? 401 : 400))
        #expect(answer.json["access_token"] == nil)
        #expect(answer.field("Cache-Control") == "no-store")
    }

    @Test("A code is burnt by a wrong proof")
    func burnt() async throws {
        let harness = try Harness()
        let code = try await harness.code()
        let wrong = Harness.exchange(code, ["code_verifier": String(repeating: "a", count: 43)])
        #expect(try await harness.post("/token", wrong).error == "invalid_grant")
        #expect(try await harness.post("/token", Harness.exchange(code)).error == "invalid_grant")
    }

    @Test("A code is refused after its life")
    func expired() async throws {
        let harness = try Harness()
        let code = try await harness.code()
        harness.advance(60)
        #expect(try await harness.post("/token", Harness.exchange(code)).error == "invalid_grant")
    }

    @Test("A code of another client is refused, and stays good for its own")
    func foreign() async throws {
        let harness = try Harness {
            $0.clients.append(
                DevServer.Client(id: "other", redirectURIs: [Harness.redirect], grants: [.authorizationCode]))
        }
        let code = try await harness.code()
        let foreign = Harness.exchange(code, ["client_id": "other"])
        #expect(try await harness.post("/token", foreign).error == "invalid_grant")
        #expect(try await harness.post("/token", Harness.exchange(code)).status == 200)
    }

    @Test("An access token is refused after its life, to the second")
    func accessExpiry() async throws {
        let harness = try Harness { $0.accessTokenLifetime = 1 }
        let answer = try await harness.signIn()
        #expect(answer.json["expires_in"] == .integer(1))
        harness.advance(0.9)
        #expect(try await harness.isAccepted(answer.accessToken))
        harness.advance(0.1)
        #expect(try await !harness.isAccepted(answer.accessToken))
    }
}
