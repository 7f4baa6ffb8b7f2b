import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore
import Proofs
import Testing

@Suite("ID tokens")
struct IDTokenTests {
    static let now: Int64 = 1_800_000_000
    static let signer = Result { try PrivateKey.generate(.p256) }

    static let claims: [String: JSON] = [
        "iss": .string("https://id.example.com"), "sub": .string("person-1"), "aud": .string("notes"),
        "exp": .integer(now + 300), "iat": .integer(now - 5), "nonce": .string("n-1"),
        "auth_time": .number(Double(now) - 30.25), "acr": .string("silver"), "email": .string("a@example.com"),
        "email_verified": .bool(true), "name": .string("A"), "preferred_username": .string("a"),
        "at_hash": .string(TokenHash.leftHalf(of: Secret("access"), algorithm: .es256)),
    ]

    static var rules: IDTokenRules {
        var rules = IDTokenRules(
            issuer: "https://id.example.com", clientID: "notes", now: Date(timeIntervalSince1970: Double(now)),
            nonce: Secret("n-1"))
        rules.accessToken = Secret("access")
        return rules
    }

    typealias Change = (name: String, value: JSON?)

    static func token(_ changes: [Change] = [], header: [String: JSON] = [:]) throws -> Secret {
        var claims = claims
        for change in changes { claims[change.name] = change.value }
        return Secret(
            try JSONWebSignature.sign(
                JSON.object(claims).serialized(), header: header, with: signer.get(), algorithm: .es256))
    }

    static func validate(
        _ changes: [Change] = [], header: [String: JSON] = [:], _ adjust: (inout IDTokenRules) -> Void = { _ in }
    ) throws -> Result<IDTokenClaims, JOSEError> {
        let token = try token(changes, header: header)
        let keys = JSONWebKeySet([JSONWebKey(try signer.get().publicKey)])
        var rules = rules
        adjust(&rules)
        do throws(JOSEError) {
            return .success(try IDToken.validate(token, keys: keys, rules: rules))
        } catch {
            return .failure(error)
        }
    }

    static func code(
        _ changes: [Change] = [], header: [String: JSON] = [:], _ adjust: (inout IDTokenRules) -> Void = { _ in }
    ) throws -> JOSEError.Code? {
        guard case .failure(let error) = try validate(changes, header: header, adjust) else { return nil }
        return error.code
    }

    @Test("An honest token passes, and says who the person is")
    func honest() throws {
        let claims = try Self.validate { rules in
            rules.maxAge = .seconds(60)
            rules.requiredACR = ["silver", "gold"]
        }.get()
        #expect(claims.issuer == "https://id.example.com")
        #expect(claims.subject == "person-1")
        #expect(claims.audience == ["notes"])
        #expect(claims.authenticatedAt == Date(timeIntervalSince1970: Double(Self.now) - 30.25))
        #expect(claims.nonce == Secret("n-1"))
        #expect(claims.acr == "silver")
        #expect(claims.email == "a@example.com" && claims.isEmailVerified)
        #expect(claims.name == "A" && claims.preferredUsername == "a")
        #expect(claims.raw["iat"] == .integer(Self.now - 5))
        #expect(claims.expiresAt.timeIntervalSince(claims.issuedAt) == 305)
    }

    @Test("Variations that servers are known for pass")
    func tolerated() throws {
        let rows: [[Change]] = [
            [("aud", .array([.string("notes")]))], [("azp", .string("notes"))], [("typ", .string("ID"))],
            [("auth_time", nil)], [("auth_time", .null)], [("at_hash", nil)], [("acr", nil)], [("email", .integer(1))],
            [("iat", .number(Double(Self.now) + 0.5))], [("exp", .number(Double(Self.now) + 0.25))],
            [("exp", .integer(1 << 40))], [("exp", .integer(Self.now - 59))], [("iat", .integer(Self.now + 60))],
            [("nbf", .integer(Self.now + 60))], [("nbf", .integer(0))], [("unknown", .array([.null]))],
            [("sub", .string(String(repeating: "s", count: 255)))], [("auth_time", .integer(0))],
            [("sub", .string("pérson"))], [("sub", .string(String(repeating: "名", count: 255)))],
            [("sub", .string("per\u{7}son"))],
        ]
        for changes in rows {
            #expect(try Self.code(changes) == nil, "\(changes.map(\.name))")
        }
        for type in ["JWT", "jwt", "id_token+jwt", "application/jwt"] {
            #expect(try Self.code(header: ["typ": .string(type)]) == nil)
        }
    }

    static let refusals: [(change: Change, code: JOSEError.Code)] = [
        (("iss", nil), .missingClaim), (("iss", .null), .missingClaim), (("iss", .integer(1)), .claims),
        (("iss", .string("https://id.example.com/")), .issuer), (("iss", .string("https://ID.example.com")), .issuer),
        (("iss", .string("")), .issuer),
        (("aud", nil), .missingClaim), (("aud", .array([])), .audience), (("aud", .string("")), .audience),
        (("aud", .string("other")), .audience), (("aud", .string("Notes")), .audience),
        (("aud", .string("notes other")), .audience), (("aud", .integer(1)), .claims),
        (("aud", .object(["notes": .bool(true)])), .claims),
        (("aud", .array([.string("notes"), .integer(1)])), .claims),
        (("aud", .array([.string("other")])), .audience),
        (("aud", .array([.string("notes"), .string("other")])), .untrustedAudience),
        (("azp", .string("other")), .authorizedParty), (("azp", .string("")), .authorizedParty),
        (("azp", .array([.string("notes")])), .claims),
        (("sub", nil), .missingClaim), (("sub", .string("")), .subject), (("sub", .integer(1)), .claims),
        (("sub", .string(String(repeating: "é", count: 256))), .subject),
        (("sub", .string(String(repeating: "s", count: 256))), .subject),
        (("exp", nil), .missingClaim), (("exp", .string("1800000300")), .claims), (("exp", .bool(true)), .claims),
        (("exp", .integer(now - 60)), .expired), (("exp", .integer(0)), .expired), (("exp", .integer(-1)), .expired),
        (("exp", .number(1e300)), .claims), (("exp", .integer(.max)), .claims),
        (("exp", .number(Double(now) - 60.5)), .expired),
        (("iat", nil), .missingClaim), (("iat", .string("0")), .claims), (("iat", .integer(now + 61)), .issuedInFuture),
        (("iat", .integer(now * 1000)), .issuedInFuture), (("iat", .integer(now - 86_461)), .issuedTooLongAgo),
        (("iat", .integer(0)), .issuedTooLongAgo),
        (("nbf", .integer(now + 61)), .notYetValid), (("nbf", .string("now")), .claims),
        (("nonce", nil), .nonce), (("nonce", .null), .nonce), (("nonce", .string("")), .nonce),
        (("nonce", .string("n-2")), .nonce), (("nonce", .string("n-1 ")), .nonce), (("nonce", .integer(1)), .claims),
        (("at_hash", .string("")), .accessTokenHash),
        (("at_hash", .string("77QmUPtjPfzWtF2AnpK9RQ")), .accessTokenHash),
        (("at_hash", .bool(false)), .claims),
        (("typ", .string("Bearer")), .payloadType), (("typ", .string("Refresh")), .payloadType),
        (("typ", .string("id")), .payloadType), (("typ", .integer(1)), .claims),
        (("events", .object([:])), .payloadType),
        (("auth_time", .string("then")), .claims), (("acr", .integer(2)), .claims),
    ]

    @Test(
        "One wrong claim is enough, and each has its own code", .standard(9, 20, 31, 32, 33, 37, 38, 39, 42, 49),
        arguments: refusals.indices)
    func wrongClaim(index: Int) throws {
        let row = Self.refusals[index]
        #expect(try Self.code([row.change]) == row.code)
    }

    @Test("A token for nobody and one for somebody else are told apart")
    func nobody() throws {
        guard case .failure(let nobody) = try Self.validate([("aud", .array([]))]),
            case .failure(let other) = try Self.validate([("aud", .string("other"))])
        else { throw CancellationError() }
        #expect(nobody.reason == "the ID token names no audience")
        #expect(other.reason == "the ID token is for another client")
    }

    @Test("Several audiences need a party, and every one of them to be configured", .standard(32, 33))
    func audiences() throws {
        let both = JSON.array([.string("notes"), .string("project")])
        func trusting(_ rules: inout IDTokenRules) { rules.trustedAudiences = ["project"] }
        #expect(try Self.code([("aud", both), ("azp", .string("notes"))], trusting) == nil)
        #expect(try Self.code([("aud", both)], trusting) == .authorizedParty)
        #expect(try Self.code([("aud", both), ("azp", .string("project"))], trusting) == .authorizedParty)
        #expect(try Self.code([("aud", .string("project"))], trusting) == .audience)
        // The client, written twice, is one audience.
        #expect(try Self.code([("aud", .array([.string("notes"), .string("notes")]))]) == nil)
    }

    @Test("An audience that is not trusted is named if it looks like an id, and so are the options that trust it")
    func untrustedAudience() throws {
        func reason(_ other: String) throws -> String {
            guard case .failure(let error) = try Self.validate([("aud", .array([.string("notes"), .string(other)]))])
            else { throw CancellationError() }
            #expect(error.code == .untrustedAudience)
            #expect(error.reason.contains("`trustedAudiences`") && error.reason.contains("`--trust-audience`"))
            return error.reason
        }
        for other in ["project", "https://api.example.com/v1", "00000003-0000-0000-c000-000000000000", "urn:a~b@c"] {
            #expect(try reason(other).contains("also for \"\(other)\""))
        }
        for other in ["", "a b", "\u{1B}[31m", "a\nb", "é", String(repeating: "a", count: 129), "<b>"] {
            #expect(try reason(other).contains("an audience whose name cannot be shown"))
        }
    }

    @Test("A header that names another kind of token is refused", .standard(49))
    func headers() throws {
        for type in [
            "at+jwt", "AT+JWT", "application/at+jwt", "dpop+jwt", "logout+jwt", "secevent+jwt", "oauth-authz-req+jwt",
        ] {
            #expect(try Self.code(header: ["typ": .string(type)]) == .tokenType)
        }
    }

    @Test("Only configured algorithms pass, and only the issuer's key", .law(11), .standard(35))
    func signatures() throws {
        #expect(try Self.code { $0.algorithms = [.rs256] } == .algorithmNotAllowed)
        #expect(try Self.code { $0.algorithms = [] } == .algorithmNotAllowed)
        let stranger = JSONWebKeySet([JSONWebKey(try PrivateKey.generate(.p256).publicKey)])
        let token = try Self.token()
        let code = refusal { () throws(JOSEError) in
            try IDToken.validate(token, keys: stranger, rules: Self.rules)
        }
        #expect(code == .signature)
    }

    @Test(
        "A nonce that was not sent must not come, nor a proof older than was asked for, nor a lesser context",
        .standard(39, 40, 41))
    func configured() throws {
        #expect(try Self.code { $0.nonce = nil } == .nonce)
        #expect(try Self.code([("nonce", nil)]) { $0.nonce = nil } == nil)
        #expect(try Self.code { $0.accessToken = Secret("another") } == .accessTokenHash)
        #expect(try Self.code { $0.accessToken = nil } == nil)
        #expect(try Self.code { $0.requiredACR = ["gold"] } == .authenticationContext)
        #expect(try Self.code([("acr", nil)]) { $0.requiredACR = ["silver"] } == .authenticationContext)
        func recent(_ rules: inout IDTokenRules) { rules.maxAge = .seconds(10) }
        #expect(try Self.code([("auth_time", .integer(Self.now - 70))], recent) == nil)
        #expect(try Self.code([("auth_time", .integer(Self.now - 71))], recent) == .authenticationTime)
        #expect(try Self.code([("auth_time", .integer(Self.now + 61))], recent) == .authenticationTime)
        #expect(try Self.code([("auth_time", .integer(0))], recent) == .authenticationTime)
        #expect(try Self.code([("auth_time", nil)], recent) == .missingClaim)
    }

    @Test("No configuration widens the leeway beyond ten minutes, or below nothing", .standard(37))
    func leeway() throws {
        #expect(try Self.code([("exp", .integer(Self.now - 599))]) { $0.leeway = .seconds(60_000) } == nil)
        #expect(try Self.code([("exp", .integer(Self.now - 600))]) { $0.leeway = .seconds(60_000) } == .expired)
        #expect(try Self.code([("exp", .integer(Self.now + 1))]) { $0.leeway = .seconds(-60) } == nil)
        #expect(try Self.code([("exp", .integer(Self.now))]) { $0.leeway = .zero } == .expired)
    }

    @Test(
        "Without a Date the token's own iat is the service's clock, unless the token may be an old one", .law(13),
        arguments: [
            (62, nil), (7_200, nil), (365 * 86_400, nil), (-7_200, nil), (-86_300, nil),
            (-2 * 86_400, JOSEError.Code.expired),
        ] as [(Int64, JOSEError.Code?)])
    func withoutDate(_ ahead: Int64, _ expected: JOSEError.Code?) throws {
        // The service's clock is ahead of this machine's by so much.
        let changes: [Change] = [
            ("iat", .integer(Self.now + ahead)), ("exp", .integer(Self.now + ahead + 300)),
            ("nbf", .integer(Self.now + ahead)), ("auth_time", .integer(Self.now + ahead - 20)),
        ]
        #expect(
            try Self.code(changes) {
                $0.trustsIssueTime = true
                $0.maxAge = .seconds(60)
            } == expected)
        if abs(ahead) > 3_600 { #expect(try Self.code(changes) != nil, "By this machine's clock it does not hold.") }
    }

    @Test("What has ended by its own iat has ended, also without a Date")
    func endedByItself() throws {
        let changes: [Change] = [("iat", .integer(Self.now + 7_200)), ("exp", .integer(Self.now + 7_100))]
        #expect(try Self.code(changes) { $0.trustsIssueTime = true } == .expired)
    }

    @Test(
        "A Date that iat contradicts counts only if this machine's clock contradicts iat too",
        arguments: [(7_200, 0, nil), (-7_200, 30, nil), (7_200, 600, JOSEError.Code.expired), (0, 7_200, nil)]
            as [(Int64, Int64, JOSEError.Code?)])
    func dateOfGateway(_ date: Int64, _ own: Int64, _ expected: JOSEError.Code?) throws {
        let found = try Self.code([("exp", .integer(Self.now + 60))]) {
            $0.now = Date(timeIntervalSince1970: Double(Self.now + date))
            $0.ownNow = Date(timeIntervalSince1970: Double(Self.now + own))
        }
        #expect(found == expected)
    }

    @Test("At a refresh each key is tried, whatever the token calls its key; at a sign-in only the one that it names")
    func newKeyUnderOldName() throws {
        let old = JSONWebKey(try PrivateKey.generate(.p256).publicKey, keyID: "a")
        let new = JSONWebKey(try Self.signer.get().publicKey, keyID: "b")
        let token = try Self.token(header: ["kid": "a"])
        #expect(throws: JOSEError.self) {
            try IDToken.validate(token, keys: JSONWebKeySet([old, new]), rules: Self.rules)
        }
        let found = try IDToken.validate(refreshed: token, keys: JSONWebKeySet([old, new]), rules: Self.rules)
        #expect(found.subject == "person-1")
        let unknown = #expect(throws: JOSEError.self) {
            try IDToken.validate(refreshed: token, keys: JSONWebKeySet([old]), rules: Self.rules)
        }
        #expect(unknown?.code == .signature)
        // Another key's signature does not make another person's token right.
        var rules = Self.rules
        rules.issuer = "https://other.example.com"
        let foreign = #expect(throws: JOSEError.self) {
            try IDToken.validate(refreshed: token, keys: JSONWebKeySet([old, new]), rules: rules)
        }
        #expect(foreign?.code == .issuer)
    }

    @Test(
        "A token whose signature nobody checked is still compared with the session",
        arguments: [
            (("sub", "another"), JOSEError.Code.subjectChanged), (("iss", "https://other.example"), .issuer),
            (("aud", "other"), .audience), (("azp", "other"), .authorizedParty), (("email", "b@example.com"), nil),
        ] as [((String, String), JOSEError.Code?)])
    func unchecked(_ change: (String, String), _ expected: JOSEError.Code?) throws {
        var rules = Self.rules
        rules.prior = IDTokenClaims(kept: .object(Self.claims))
        let token = try Self.token([(change.0, .string(change.1))])
        #expect(IDToken.objection(ofUnchecked: token, rules: rules)?.code == expected)
        #expect(IDToken.objection(ofUnchecked: Secret("no token"), rules: rules) == nil)
    }

    @Test("A wrong time says by how many seconds this machine's clock is behind or ahead", .standard(38))
    func differences() throws {
        let rows: [(Change, Int, String)] = [
            (("exp", .integer(Self.now - 3600)), 3600, "ahead"), (("iat", .integer(Self.now + 7200)), 7200, "behind"),
            (("nbf", .integer(Self.now + 90)), 90, "behind"), (("iat", .integer(Self.now - 90_000)), 90_000, "ahead"),
        ]
        for (change, seconds, side) in rows {
            guard case .failure(let error) = try Self.validate([change]) else {
                Issue.record("the token passed")
                continue
            }
            #expect(error.difference == seconds)
            #expect(error.reason.contains("this machine's clock is \(seconds) s \(side)"))
        }
    }

    @Test(
        "After a refresh the issuer, the person and the nonce are those of the sign-in, and the client is an audience",
        .standard(44))
    func refreshed() throws {
        let first = try Self.validate().get()
        func after(_ rules: inout IDTokenRules) {
            rules.prior = first
            rules.nonce = nil
        }
        #expect(try Self.code([], after) == nil)
        #expect(try Self.code([("nonce", nil)], after) == nil)
        #expect(try Self.code([("auth_time", nil)], after) == nil)
        #expect(try Self.code([("iat", .integer(Self.now)), ("exp", .integer(Self.now + 900))], after) == nil)
        let rows: [([Change], JOSEError.Code)] = [
            ([("sub", .string("person-2"))], .subjectChanged), ([("sub", .string("Person-1"))], .subjectChanged),
            ([("nonce", .string("n-2"))], .nonce), ([("iss", .string("https://b"))], .issuer),
            ([("aud", .string("other"))], .audience), ([("exp", .integer(Self.now - 60))], .expired),
        ]
        for (changes, expected) in rows { #expect(try Self.code(changes, after) == expected) }

        let both = JSON.array([.string("notes"), .string("project")])
        #expect(try Self.code([("aud", both), ("azp", .string("notes"))], after) == nil)
        #expect(try Self.code([("aud", both)], after) == nil)
        #expect(try Self.code([("aud", both), ("azp", .string("project"))], after) == .authorizedParty)
        let moved = try Self.code([("iss", .string("https://b"))]) { rules in
            after(&rules)
            rules.issuer = "https://b"
        }
        #expect(moved == .issuerChanged)
        for time in [Self.now, Self.now - 30] {
            let later = try Self.validate([("auth_time", .integer(time))], after).get()
            #expect(later.authenticatedAt == first.authenticatedAt && first.authenticatedAt != nil)
        }
        let unnamed = try Self.validate([("nonce", nil)]) { $0.nonce = nil }.get()
        #expect(try Self.code { $0.prior = unnamed } == .nonce)
    }

    @Test("Neither the claims nor a refusal print anything about the person")
    func printing() throws {
        let claims = try Self.validate().get()
        var dumped = ""
        dump(claims, to: &dumped)
        var texts = [dumped, "\(claims)", String(reflecting: claims)]
        for row in Self.refusals {
            guard case .failure(let error) = try Self.validate([row.change]) else { continue }
            texts.append("\(error)")
        }
        for text in texts {
            for content in ["person-1", "a@example.com", "n-1", "n-2"] { #expect(!text.contains(content)) }
        }
    }
}
