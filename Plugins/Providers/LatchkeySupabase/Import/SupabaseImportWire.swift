import Latchkey
import LatchkeyJSON

/// The names under which other clients of the service store a session.
struct ImportWire: Sendable {
    /// The access token.
    let access: String
    /// The refresh token.
    let refresh: String
    /// The identity provider's tokens, in the order of ``SessionAnswer/Member/ofProvider``.
    let ofProvider: [String]

    /// The person's description, in every layout.
    static let user = "user"
    /// The members in which older versions put the session, beside its expiry date: `supabase-swift`, and `supabase-js` 1.
    static let wrapped = ["session", "currentSession"]
    /// What the elements of an array are, as which older helpers for servers wrote their cookie.
    private static let elements =
        [SessionAnswer.Member.access, SessionAnswer.Member.refresh] + SessionAnswer.Member.ofProvider

    /// Returns an array's elements under the service's names; any other document as it is.
    static func named(_ document: JSON) -> JSON {
        guard let values = document.array, !values.isEmpty else { return document }
        return .object(Dictionary(zip(elements, values)) { first, _ in first })
    }

    /// The start of a server-rendered page's cookie; base64url follows.
    static let cookie = "base64-"
    /// The start of an adoption's ticket; the app's bytes follow.
    static let ticket = "supabase-import:"

    /// The names of `supabase-swift`'s properties. Its dates count from 2001; nothing here needs them.
    static let properties = ImportWire(
        access: "accessToken", refresh: "refreshToken", ofProvider: ["providerToken", "providerRefreshToken"])
    /// The service's own names, which `supabase-js` and other versions of `supabase-swift` use.
    static let service = ImportWire(
        access: SessionAnswer.Member.access, refresh: SessionAnswer.Member.refresh,
        ofProvider: SessionAnswer.Member.ofProvider)

    /// Returns the layout of `record`, or `nil` if it holds no token under either layout's names.
    static func of(_ record: JSON) -> ImportWire? {
        [properties, service].first { record[$0.access] != nil || record[$0.refresh] != nil }
    }

    /// Returns the identity provider's tokens, under the service's names.
    func providerTokens(_ record: JSON) -> [String: JSON] {
        var found: [String: JSON] = [:]
        for (name, stored) in zip(SessionAnswer.Member.ofProvider, ofProvider) {
            if let token = record[stored], token.string?.isEmpty == false { found[name] = token }
        }
        return found
    }
}

extension AccessClaims {
    /// The token's issuer; `nil` if it is not an address.
    var issuer: String? {
        json["iss"]?.string.flatMap { $0.hasPrefix("https://") || $0.hasPrefix("http://") ? $0 : nil }
    }
}
