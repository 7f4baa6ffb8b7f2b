import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@Suite("Attacks")
struct AttackTests {
    @Test("Each attack changes what a client sees, from when it is begun until it is ended", arguments: all)
    func control(attack: DevServer.Attack) async throws {
        let harness = try Harness()
        let honest = try await Self.trace(harness)
        // The code of somebody else, with a nonce and a proof of its own.
        _ = try await harness.code(["code_challenge": String(repeating: "A", count: 43), "nonce": "n-0"])
        let document = #"{"attack":"\#(attack.rawValue)","victim":"http://127.0.0.1:4711"}"#
        #expect(try await harness.control("configure", document).status == 200)
        let hostile = try await Self.trace(harness)
        #expect(hostile != honest)
        #expect(try await harness.control("configure", #"{"attack":"none"}"#).status == 200)
        #expect(try await Self.trace(harness) == honest)
    }

    static let all = DevServer.Attack.allCases

    @Test("No two attacks are the same")
    func different() async throws {
        var seen: [[String]: DevServer.Attack] = [:]
        for attack in Self.all {
            let harness = try Harness()
            _ = try await Self.trace(harness)
            // What is given again is older than what is new.
            harness.advance(1)
            _ = try await harness.code(["code_challenge": String(repeating: "A", count: 43), "nonce": "n-0"])
            #expect(harness.server.configure { $0.attack = attack })
            let trace = try await Self.trace(harness).map { $0.replacing("\(harness.server.port)", with: "") }
            let other = seen.updateValue(attack, forKey: trace)
            #expect(other == nil, "\(attack) is like another")
        }
    }

    @Test(
        "An attack that is unknown, and a victim that is not on this machine, are refused",
        arguments: [
            #"{"attack":"arson"}"#, #"{"attack":1}"#, #"{"victim":"http://example.com"}"#,
            #"{"victim":"http://127.0.0.1:1.example.com"}"#, #"{"victim":"http://127.0.0.1:1@example.com"}"#,
            #"{"victim":"http://127.0.0.1:65536"}"#, #"{"victim":"https://127.0.0.1:1"}"#, #"{"victim":""}"#,
        ])
    func refused(document: String) async throws {
        let harness = try Harness()
        let honest = try await Self.trace(harness)
        #expect(try await harness.control("configure", document).status == 400)
        #expect(try await Self.trace(harness) == honest)
    }

    /// What a client sees of a sign-in, without what is random each time.
    private static func trace(_ harness: Harness) async throws -> [String] {
        var trace: [String] = []
        let document = try await harness.get("/.well-known/openid-configuration")
        trace += ["\(document.status)", document.text, document.field("Location") ?? ""]
        let keys = try await harness.get("/jwks").json
        let redirect = try await harness.authorize()
        let code = redirect.redirectParameter("code")
        let plain = (redirect.field("Location") ?? "").split { "?&".contains($0) }
        trace += plain.map { $0.hasPrefix("code=") || $0.contains("_token=") ? "\($0.prefix { $0 != "=" })" : "\($0)" }
        let answer = try await harness.post("/token", Harness.exchange(code ?? "none"))
        trace += ["\(answer.status)", answer.field("Location") ?? "", answer.json["token_type"]?.string ?? ""]
        trace += try idToken(answer, keys)
        let userinfo = try await harness.get("/userinfo", bearer: answer.accessToken.isEmpty ? "x" : answer.accessToken)
        return trace + [userinfo.text]
    }

    private static func idToken(_ answer: Answer, _ keys: JSON) throws -> [String] {
        guard let token = answer.json["id_token"]?.string else { return [] }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        let header = try JSON.parse(Base64URL.decode(parts[0]))
        let claims = try JSON.parse(Base64URL.decode(parts[1]))
        let key = keys["keys"]?.array?.first { $0["kid"] == header["kid"] }
        let isSigned = key.map { jwk in
            (try? Answer.publicKey(jwk).verify(
                signature: Base64URL.decode(parts[2]), of: Array("\(parts[0]).\(parts[1])".utf8), algorithm: .es256))
                ?? false
        }
        let hash = Hash.digest(Array(answer.accessToken.utf8))
        let isBound = claims["at_hash"]?.string == Base64URL.encode(Array(hash.prefix(16)))
        let shown = ["iss", "aud", "azp", "sub", "iat", "exp", "nonce", "auth_time"].map { name in
            "\(name)=\(String(decoding: (claims[name] ?? .null).serialized(), as: UTF8.self))"
        }
        return shown + [
            "parts=\(parts.count)", "alg=\(header["alg"]?.string ?? "")", "typ=\(header["typ"]?.string ?? "")",
            "jwk=\(header["jwk"] != nil)", "signed=\(isSigned.map { "\($0)" } ?? "by nobody known")",
            "bound=\(isBound)",
        ]
    }
}
