import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyClerk

@Suite("Session tokens that somebody brings") struct VerifierTests {
    static let page = "https://app.example.com"
    private static let key = Result { try PrivateKey.generate(.rsa(bits: 2048)) }
    private static let issuer = "https://clerk.example.com"

    static func keys(_ id: String = "k1") throws -> JSONWebKeySet {
        guard let rsa = try key.get().publicKey.rsaComponents else { throw Missing() }
        return try JSONWebKeySet(parsing: [
            "keys": [
                [
                    "kty": "RSA", "kid": .string(id), "use": "sig", "alg": "RS256",
                    "n": .string(Base64URL.encode(rsa.modulus)), "e": .string(Base64URL.encode(rsa.exponent)),
                ]
            ]
        ])
    }

    static func token(
        _ clock: ManualClock, id: String = "k1", _ changes: [String: JSON?] = [:], header more: [String: JSON] = [:]
    ) throws -> Secret {
        let now = Int64(clock.wall().timeIntervalSince1970)
        var claims: [String: JSON] = [
            "v": 2, "sts": "active", "iss": .string(issuer), "sub": "user_1", "sid": "sess_1", "iat": .integer(now),
            "nbf": .integer(now - 10), "exp": .integer(now + 60),
        ]
        for (name, value) in changes { claims[name] = value }
        return Secret(
            try JSONWebSignature.sign(
                JSON.object(claims).serialized(), header: more.merging(["kid": .string(id)]) { $1 }, with: key.get(),
                algorithm: .rs256))
    }

    static func verifier(
        _ clock: ManualClock, _ change: (inout ClerkTokenVerifier.Rules) -> Void = { _ in }
    ) throws -> ClerkTokenVerifier {
        var rules = ClerkTokenVerifier.Rules()
        change(&rules)
        return try ClerkTokenVerifier(issuer: issuer, keys: keys(), rules: rules, context: .testing(clock: clock))
    }

    static func code(_ work: () async throws -> ClerkClaims) async -> AuthError.Code? {
        do { _ = try await work() } catch { return (error as? AuthError)?.code }
        return nil
    }

    @Test("a token of the instance that has not ended is taken", .complaint(.clerk, 32))
    func taken() async throws {
        let clock = ManualClock()
        let claims = try await Self.verifier(clock).verify(Self.token(clock))
        #expect(claims.user == "user_1" && claims.session == "sess_1")
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let name: String
        let changes: [String: JSON?]
        let code: AuthError.Code
        var testDescription: String { name }
    }

    @Test(
        "what is wrong is refused, each with its own code", .complaint(.clerk, 32),
        arguments: [
            Wrong(name: "ended", changes: ["exp": 1], code: .refused(.expired)),
            Wrong(name: "without an end", changes: ["exp": nil], code: .untrusted(.claims)),
            Wrong(name: "begins later", changes: ["nbf": 32_000_000_000], code: .untrusted(.claims)),
            Wrong(name: "made later", changes: ["iat": 32_000_000_000], code: .untrusted(.claims)),
            Wrong(name: "another issuer", changes: ["iss": "https://evil.example.com"], code: .untrusted(.issuer)),
            Wrong(name: "no issuer", changes: ["iss": nil], code: .untrusted(.issuer)),
            Wrong(name: "nobody", changes: ["sub": nil], code: .untrusted(.claims)),
            Wrong(name: "another page", changes: ["azp": "https://evil.example.com"], code: .untrusted(.claims)),
            Wrong(name: "a party that is no text", changes: ["azp": 7], code: .untrusted(.claims)),
            Wrong(name: "no party", changes: ["azp": nil], code: .untrusted(.claims)),
            Wrong(name: "an empty party", changes: ["azp": ""], code: .untrusted(.claims)),
            Wrong(name: "a status that is no text", changes: ["sts": 7], code: .untrusted(.claims)),
            Wrong(name: "tasks left", changes: ["sts": "pending"], code: .refused(.factorRequired)),
        ])
    func wrong(_ wrong: Wrong) async throws {
        let clock = ManualClock()
        let verifier = try Self.verifier(clock) { $0.authorizedParties = [Self.page] }
        let changes = ["azp": .string(Self.page)].merging(wrong.changes) { $1 }
        #expect(await Self.code { try await verifier.verify(Self.token(clock, changes)) } == wrong.code)
    }

    @Test("a party on the list is taken, and a native program's token, which names none, only by the option")
    func parties() async throws {
        let clock = ManualClock()
        let verifier = try Self.verifier(clock) { $0.authorizedParties = [Self.page] }
        _ = try await verifier.verify(Self.token(clock, ["azp": .string(Self.page)]))
        #expect(await Self.code { try await verifier.verify(Self.token(clock)) } == .untrusted(.claims))
        let native = try Self.verifier(clock) { ($0.authorizedParties, $0.acceptsNativeTokens) = ([Self.page], true) }
        _ = try await native.verify(Self.token(clock))
        _ = try await Self.verifier(clock) { $0.acceptsPending = true }.verify(Self.token(clock, ["sts": "pending"]))
    }

    @Test("the leeway holds at both ends, and ten minutes is the most")
    func leeway() async throws {
        let clock = ManualClock()
        let token = try Self.token(clock)
        let verifier = try Self.verifier(clock)
        clock.advance(by: .seconds(64))
        _ = try await verifier.verify(token)
        clock.advance(by: .seconds(1))
        #expect(await Self.code { try await verifier.verify(token) } == .refused(.expired))
        for leeway in [Duration.seconds(-1), .seconds(601)] {
            #expect(throws: AuthError.self) { try Self.verifier(clock) { $0.leeway = leeway } }
        }
    }

    @Test("a token that is signed otherwise, by somebody else, or not at all is refused")
    func signatures() async throws {
        let clock = ManualClock()
        let verifier = try Self.verifier(clock)
        let good = try Self.token(clock).revealText()
        let parts = good.split(separator: ".").map(String.init)
        let none = "\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(parts[1])."
        let symmetric = "\(Base64URL.encode(Array(#"{"alg":"HS256","kid":"k1"}"#.utf8))).\(parts[1]).\(parts[2])"
        for text in [none, symmetric, "\(parts[0]).\(parts[1])A.\(parts[2])", "a.b", "", "a.b.c.d.e", good + "A"] {
            let code = await Self.code { try await verifier.verify(Secret(text)) }
            #expect([.untrusted(.signature), .untrusted(.malformed)].contains(code), "\(text.prefix(20))")
        }
        let other = try ClerkTokenVerifier(issuer: Self.issuer, keys: Self.keys("k2"), context: .testing(clock: clock))
        #expect(await Self.code { try await other.verify(Secret(good)) } == .untrusted(.signature))
    }

    @Test("a token that a native program got is taken by a server that fetches the keys once for all")
    func instance() async throws {
        let scene = try Scene()
        let credential = try await scene.credential()
        let change = try await scene.mint(.organization("org_engines"), of: credential)
        let token = try #require(change.minted.values.first?.values.first?.value)
        let verifier = try ClerkTokenVerifier(
            publishableKey: scene.provider.publishableKey, proxyURL: scene.server.clerkURL, transport: scene.transport)
        try await withThrowingTaskGroup(of: ClerkClaims.self) { group in
            for _ in 0..<50 { group.addTask { try await verifier.verify(token) } }
            for try await claims in group {
                #expect(claims.has(role: "org:admin") && claims.has(permission: "org:dashboard:manage"))
            }
        }
        #expect(scene.transport.count("jwks.json") == 1)
    }

    @Test("keys roll over; invented key ids cause no flood; what cannot be fetched leaves the keys that are held")
    func rollover() async throws {
        let clock = ManualClock()
        let transport = NotedTransport(ScriptedTransport())
        let (old, new) = (try Self.document("k1"), try Self.document("k2"))
        transport.answer { _ in old }
        let verifier = try ClerkTokenVerifier(
            publishableKey: "pk_live_Y2xlcmsuZXhhbXBsZS5jb20k", transport: transport, context: .testing(clock: clock))
        _ = try await verifier.verify(Self.token(clock))
        transport.answer { _ in new }
        // The key may have been replaced right after the first fetch. Within a minute there is no third one, whatever a
        // token names.
        _ = try await verifier.verify(Self.token(clock, id: "k2"))
        for id in ["k3", "k4", "k5"] {
            #expect(await Self.code { try await verifier.verify(Self.token(clock, id: id)) } == .untrusted(.signature))
        }
        #expect(transport.requests.count == 2)
        clock.advance(by: .seconds(61))
        _ = try await verifier.verify(Self.token(clock, id: "k2"))
        #expect(await Self.code { try await verifier.verify(Self.token(clock)) } == .untrusted(.signature))
        transport.answer { _ in TransportResponse(status: 503) }
        clock.advance(by: .seconds(4_000))
        _ = try await verifier.verify(Self.token(clock, id: "k2"))
        #expect(transport.requests.count == 4)
    }

    @Test("without a key yet, and none to be fetched, the caller is told to come again")
    func offline() async throws {
        let clock = ManualClock()
        let transport = NotedTransport(ScriptedTransport())
        transport.answer { _ in TransportResponse(status: 503) }
        let verifier = try ClerkTokenVerifier(
            publishableKey: "pk_live_Y2xlcmsuZXhhbXBsZS5jb20k", transport: transport, context: .testing(clock: clock))
        #expect(await Self.code { try await verifier.verify(Self.token(clock)) } == .offline(.unreachable))
    }

    private static func document(_ id: String) throws -> TransportResponse {
        guard let rsa = try key.get().publicKey.rsaComponents else { throw Missing() }
        let json: JSON = [
            "keys": [
                [
                    "kty": "RSA", "kid": .string(id), "n": .string(Base64URL.encode(rsa.modulus)),
                    "e": .string(Base64URL.encode(rsa.exponent)),
                ]
            ]
        ]
        return TransportResponse(status: 200, body: json.serialized())
    }
}
