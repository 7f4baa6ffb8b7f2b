import FoundationEssentials
import LatchkeyJSON
import LatchkeyOAuth
import Proofs
import Testing

@Suite("Claims as values") struct OpenIDClaimsTests {
    private func claims(_ members: [String: JSON]) throws -> OpenIDClaims {
        let json = JSON.object(members.merging(["sub": "u1"]) { $1 })
        return try #require(OpenIDClaims(issuer: "https://id.example", json: json))
    }

    @Test("every claim of OpenID Connect Core, section 5.1, has its property")
    func all() throws {
        let claims = try claims([
            "name": "n", "given_name": "g", "family_name": "f", "middle_name": "m", "nickname": "i",
            "preferred_username": "p", "profile": "https://p", "picture": "https://i", "website": "https://w",
            "email": "e@x", "email_verified": true, "gender": "female", "birthdate": "0000-12-10",
            "zoneinfo": "Europe/London", "locale": "en-GB", "phone_number": "+44", "phone_number_verified": false,
            "address": [
                "formatted": "a\nb", "street_address": "s", "locality": "l", "region": "r", "postal_code": "z",
                "country": "c",
            ],
            "updated_at": 1_311_280_970, "auth_time": 1_311_280_969.5, "acr": "2", "amr": ["pwd", 7, "otp"],
        ])
        #expect(claims.subject == "u1" && claims.issuer == "https://id.example")
        #expect([claims.name, claims.givenName, claims.familyName, claims.middleName] == ["n", "g", "f", "m"])
        #expect([claims.nickname, claims.preferredUsername, claims.gender] == ["i", "p", "female"])
        #expect([claims.profile, claims.picture, claims.website] == ["https://p", "https://i", "https://w"])
        #expect(claims.email == "e@x" && claims.isEmailVerified == true)
        #expect(claims.phoneNumber == "+44" && claims.isPhoneNumberVerified == false)
        #expect([claims.birthdate, claims.zoneinfo, claims.locale] == ["0000-12-10", "Europe/London", "en-GB"])
        let address = try #require(claims.address)
        #expect([address.formatted, address.street, address.locality] == ["a\nb", "s", "l"])
        #expect([address.region, address.postalCode, address.country] == ["r", "z", "c"])
        #expect(claims.updatedAt == Date(timeIntervalSince1970: 1_311_280_970))
        #expect(claims.authenticatedAt == Date(timeIntervalSince1970: 1_311_280_969.5))
        #expect(claims.authenticationContext == "2" && claims.authenticationMethods == ["pwd", "otp"])
        #expect(claims.others.isEmpty)
    }

    @Test(
        "a claim of a wrong type, and an empty one, have no value and hide no other",
        arguments: [
            ("name", 7), ("name", ""), ("name", ["Ada"]), ("email", true), ("email_verified", "true"),
            ("phone_number_verified", 1), ("birthdate", 1815), ("updated_at", "2026-01-01"), ("updated_at", -1),
            ("updated_at", 1e300), ("address", "London"), ("auth_time", "1"), ("acr", 2), ("amr", "pwd"),
        ] as [(String, JSON)])
    func wrong(_ name: String, _ value: JSON) throws {
        let claims = try claims([name: value, "nickname": "kept", "other": ["a": 1]])
        #expect(claims.name == nil && claims.email == nil && claims.isEmailVerified == nil)
        #expect(claims.isPhoneNumberVerified == nil && claims.birthdate == nil && claims.updatedAt == nil)
        #expect(claims.address == nil && claims.authenticatedAt == nil && claims.authenticationContext == nil)
        #expect(claims.authenticationMethods.isEmpty)
        #expect(claims.nickname == "kept" && claims[name] == value && claims.others == ["other": ["a": 1]])
    }

    @Test(
        "what belongs to a token, or is secret, is not among the claims",
        arguments: [
            "aud", "azp", "exp", "nbf", "iat", "jti", "nonce", "at_hash", "c_hash", "s_hash", "sid", "typ",
            "_claim_names", "_claim_sources", "access_token", "refresh_token", "id_token",
        ])
    func left(_ name: String) throws {
        let claims = try claims([name: "CANARY"])
        #expect(claims[name] == nil && claims.others.isEmpty)
    }

    @Test(
        "nobody, and an empty name of somebody, make no claims",
        arguments: [[:], ["sub": ""], ["sub": 7], "u1"] as [JSON])
    func nobody(_ json: JSON) { #expect(OpenIDClaims(issuer: "i", json: json) == nil) }

    @Test("no text about claims says anything of the person", .law(10))
    func hidden() throws {
        let claims = try claims(["name": "CANARY", "address": ["locality": "CANARY"], "x": "CANARY"])
        var dumped = ""
        dump(claims, to: &dumped)
        dump(claims.address, to: &dumped)
        dump(claims.others, to: &dumped)
        let text = "\(claims) \(String(reflecting: claims)) \(claims.address as Any) \(claims.others) \(dumped)"
        #expect(!text.contains("CANARY") && text.contains("https://id.example"))
    }
}
