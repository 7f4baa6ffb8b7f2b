import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// What an access token says about its audience, if it is a JWT. It is not checked here; the API does that.
enum TokenAudience {
    /// Returns the audiences that the token names in place of `audience`; `nil` if it names that one, or says nothing.
    static func others(than audience: Audience, in token: Secret) -> [String]? {
        guard audience != .standard, let named = IDToken.claims(ofKept: token)?["aud"] else { return nil }
        let names = named.string.map { [$0] } ?? named.array?.compactMap(\.string) ?? []
        func plain(_ name: String) -> Substring { name.hasSuffix("/") ? name.dropLast() : name[...] }
        guard !names.isEmpty, !names.contains(where: { plain($0) == plain(audience.name) }) else { return nil }
        return names
    }
}
