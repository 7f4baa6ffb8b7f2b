import Latchkey
import LatchkeyJSON

/// The names under which other clients of the service write a session down.
struct ImportWire: Sendable {
    /// The access token.
    let access: String
    /// The refresh token.
    let refresh: String
    /// The identity provider's tokens, in the order of ``SessionAnswer/Member/ofProvider``.
    let ofProvider: [String]

    /// The whole person, in every layout.
    static let user = "user"
    /// Where older versions of `supabase-swift` put the session, beside the date of its end.
    static let wrapped = "session"
    /// What a cookie of a server-rendered page begins with; base64url follows.
    static let cookie = "base64-"
    /// What a ticket of an adoption begins with; the bytes of the app follow.
    static let ticket = "supabase-import:"

    /// `supabase-swift`: the names of its properties. Its dates, which nothing here needs, count from 2001.
    static let properties = ImportWire(
        access: "accessToken", refresh: "refreshToken", ofProvider: ["providerToken", "providerRefreshToken"])
    /// The service's own, which `supabase-js` and other versions of `supabase-swift` keep.
    static let service = ImportWire(
        access: SessionAnswer.Member.access, refresh: SessionAnswer.Member.refresh,
        ofProvider: SessionAnswer.Member.ofProvider)

    /// The layout of `record`; `nil` where it holds no token of either.
    static func of(_ record: JSON) -> ImportWire? {
        [properties, service].first { record[$0.access] != nil || record[$0.refresh] != nil }
    }

    /// The identity provider's tokens, under the service's names.
    func providerTokens(_ record: JSON) -> [String: JSON] {
        var found: [String: JSON] = [:]
        for (name, stored) in zip(SessionAnswer.Member.ofProvider, ofProvider) {
            if let token = record[stored], token.string?.isEmpty == false { found[name] = token }
        }
        return found
    }
}

extension AccessClaims {
    /// Which service made the token; `nil` where it names no address.
    var issuer: String? {
        json["iss"]?.string.flatMap { $0.hasPrefix("https://") || $0.hasPrefix("http://") ? $0 : nil }
    }
}
