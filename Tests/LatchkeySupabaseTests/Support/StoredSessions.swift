import LatchkeyCrypto
import LatchkeyJSON
import Testing

@testable import LatchkeySupabase

/// What other clients of the service leave behind, of an invented person and with invented tokens.
enum StoredSessions {
    /// The person, as the service names her.
    static let ada = "7b0b6a4e-6a1c-4d57-9a55-0f5c1f0c2a11"
    /// Of ``Scene``'s project.
    static let access = accessToken(["sub": .string(ada), "iss": .string(Scene.url)])

    /// A layout, and where its session is in it.
    struct Layout: Sendable, CustomTestStringConvertible {
        var name: String
        var json: JSON
        /// Where the session is: nowhere special, or in a member.
        var place: [String] = []
        var tokens: [String]
        var isCookie = false

        var testDescription: String { name }
        var bytes: [UInt8] { bytes(of: json) }

        func bytes(of json: JSON) -> [UInt8] {
            guard isCookie else { return json.serialized() }
            return Array("base64-\(Base64URL.encode(json.serialized()))".utf8)
        }

        /// The session without a member, or with another value in its place.
        func with(_ member: String, _ value: JSON?) -> [UInt8] {
            var session = json
            for name in place { session = session[name] ?? .null }
            var members = session.object ?? [:]
            members[member] = value
            let changed = JSON.object(members)
            guard let outer = place.first else { return bytes(of: changed) }
            var whole = json.object ?? [:]
            whole[outer] = changed
            return bytes(of: .object(whole))
        }

        /// How an error names a member.
        func path(_ member: String) -> String { (["$"] + place + [member]).joined(separator: ".") }
    }

    /// The names of properties; identifiers in capitals, dates as seconds since 2001.
    static let properties: JSON = [
        "accessToken": .string(access), "tokenType": "bearer", "expiresIn": 3_600, "expiresAt": 1_790_003_600,
        "refreshToken": "r-old", "providerToken": "gh-1", "providerRefreshToken": "gh-2",
        "user": [
            "id": .string(ada.uppercased()), "aud": "authenticated", "role": "authenticated", "phone": "",
            "email": "ada@example.test", "isAnonymous": false, "createdAt": 789_012_345.25, "updatedAt": 789_012_400,
            "appMetadata": ["provider": "github"], "userMetadata": ["nickname": "ada"],
            "identities": [
                [
                    "id": .string(ada), "identityId": .string(ada.uppercased()), "userId": .string(ada.uppercased()),
                    "identityData": ["sub": .string(ada)], "provider": "github", "createdAt": 789_012_345.25,
                ]
            ],
        ],
    ]

    /// The service's names.
    static let service: JSON = [
        "access_token": .string(access), "token_type": "bearer", "expires_in": 3_600, "expires_at": 1_790_003_600,
        "refresh_token": "r-old", "provider_token": "gh-1", "provider_refresh_token": "gh-2",
        "user": ["id": .string(ada), "email": "ada@example.test", "created_at": "2026-01-05T09:59:58.3Z"],
    ]

    private static let ofProperties = ["accessToken", "refreshToken"]
    private static let ofService = ["access_token", "refresh_token"]

    static let layouts = [
        Layout(name: "supabase-swift, properties", json: properties, tokens: ofProperties),
        Layout(
            name: "supabase-swift, wrapped properties", json: ["session": properties, "expirationDate": 811_696_400.5],
            place: ["session"], tokens: ofProperties),
        Layout(
            name: "supabase-swift, wrapped service's names",
            json: ["session": service, "expiration_date": "2026-09-21T14:33:20.000Z"], place: ["session"],
            tokens: ofService),
        Layout(name: "supabase-swift, service's names", json: service, tokens: ofService),
        Layout(
            name: "supabase-js, localStorage",
            json: .object((service.object ?? [:]).merging(["weak_password": .null]) { $1 }), tokens: ofService),
        Layout(name: "supabase-js, cookie", json: service, tokens: ofService, isCookie: true),
    ]

    /// A session of ``layouts``' usual one, changed.
    static func changed(_ members: [String: JSON]) -> [UInt8] {
        JSON.object((service.object ?? [:]).merging(members) { $1 }).serialized()
    }

    /// Everything in them that must not get out.
    static let secrets = [access, "r-old", "gh-1", "gh-2", "c2ln"]
}
