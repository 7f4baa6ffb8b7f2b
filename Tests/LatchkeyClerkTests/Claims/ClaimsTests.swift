import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import Proofs
import Testing

@testable import LatchkeyClerk

@Suite("What a session token says") struct ClaimsTests {
    static func claims(_ json: JSON) throws -> ClerkClaims {
        let parts = [JSON.object(["alg": "RS256"]), json].map { Base64URL.encode($0.serialized()) }
        return try ClerkClaims(unverified: Secret("\(parts[0]).\(parts[1]).c2ln"))
    }

    static let second: JSON = [
        "v": 2, "sts": "active", "iss": "https://demo.clerk.accounts.dev", "sub": "user_0demo", "sid": "sess_0demo",
        "iat": 1_785_000_060, "nbf": 1_785_000_050, "exp": 1_785_000_120, "fva": [0, -1], "pla": "o:pro,u:free",
        "fea": "o:dashboard,u:export,o:teams",
        "o": ["id": "org_0demo", "slg": "acme", "rol": "admin", "per": "manage,read", "fpm": "3,2"],
    ]

    @Test(
        "the second version: role, permissions by the bits of each feature, features and plans by owner",
        .complaint(.clerk, 32))
    func newer() throws {
        let claims = try Self.claims(Self.second)
        #expect(claims.organization?.permissions == ["org:dashboard:manage", "org:dashboard:read", "org:teams:read"])
        #expect(claims.has(permission: "org:teams:read") && claims.has(permission: "dashboard:manage"))
        #expect(!claims.has(permission: "org:teams:manage") && !claims.has(permission: "org:export:read"))
        #expect(claims.has(role: "admin") && claims.has(role: "org:admin") && !claims.has(role: "member"))
        #expect(claims.has(feature: "export") && claims.has(feature: "export", of: .user))
        #expect(!claims.has(feature: "export", of: .organization) && !claims.has(feature: "none"))
        #expect(claims.has(plan: "pro", of: .organization) && !claims.has(plan: "pro", of: .user))
        #expect(claims.minutesSinceFirstFactor == 0 && claims.minutesSinceSecondFactor == nil)
        #expect(claims.user == "user_0demo" && claims.session == "sess_0demo" && claims.status == "active")
        #expect(claims.organization?.slug == "acme" && claims.expiresAt?.timeIntervalSince1970 == 1_785_000_120)
    }

    @Test("the first version, which lists its permissions")
    func older() throws {
        let claims = try Self.claims([
            "sub": "user_1", "sid": "sess_1", "org_id": "org_1", "org_role": "org:admin", "org_slug": "acme",
            "org_permissions": ["org:invoices:read"],
        ])
        #expect(claims.has(permission: "org:invoices:read") && claims.has(role: "admin"))
        #expect(claims.organization?.id == "org_1" && claims.features.isEmpty && claims.minutesSinceFirstFactor == nil)
    }

    @Test(
        "what does not go together grants nothing",
        arguments: [
            ("manage,read", "3"), ("manage,read", "3,2,1"), ("manage,read", "4,0"), ("manage,read", "x,1"),
            ("manage,read", "-1,1"), ("", "3,2"), ("manage,read", ""), ("manage,read", "3,"),
            ("manage,read", "18446744073709551616,1"),
        ])
    func broken(_ names: String, _ maps: String) throws {
        let claims = try Self.claims([
            "v": 2, "sub": "user_1", "fea": "o:dashboard,o:teams",
            "o": ["id": "org_1", "per": .string(names), "fpm": .string(maps)],
        ])
        #expect(claims.organization?.permissions == [])
        #expect(!claims.has(permission: "org:dashboard:read") && !claims.has(role: "admin"))
    }

    @Test("a feature may be both's; what has another form is let be", .complaint(.clerk, 35))
    func both() throws {
        let claims = try Self.claims(["sub": "u", "fea": "uo:chat, o:a ,x:b,:c,d,o:", "pla": 7])
        #expect(claims.features == ["chat": [.user, .organization], "a": [.organization]])
        #expect(claims.plans.isEmpty)
    }

    @Test("a token prints nothing of what it says", .complaint(.clerk, 36))
    func printing() throws {
        var shown = ""
        let claims = try Self.claims(Self.second)
        dump(claims, to: &shown)
        #expect(!"\(shown) \(claims)".contains("user_0demo"))
    }
}
