public import Latchkey
public import LatchkeyJSON

/// The tokens that a token endpoint gives
/// ([RFC 6749, section 5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1)).
public struct TokenResponse: Sendable {
    /// The access token: visible ASCII only, because it goes into a header.
    public var accessToken: Secret
    /// The token type: `Bearer`, `DPoP`, or another one as the service wrote it.
    public var scheme: String
    /// How long the access token lasts, at most ``/Latchkey/Lifetime/longest``; `nil` if the
    /// service does not say, which does not mean "forever".
    public var expiresIn: Duration?
    /// The new refresh token; `nil` if the old one stays.
    public var refreshToken: Secret?
    /// How long the refresh token lasts, for services that say it: `refresh_token_expires_in` (GitHub, Google,
    /// Microsoft) or `refresh_expires_in` (Keycloak, where 0 means without an end). `nil` if there is no such member,
    /// and for 0.
    public var refreshExpiresIn: Duration?
    /// The scopes that were granted; `nil` if they are those that were asked for, or unknown.
    public var scopes: [String]?
    /// Whether the answer has a scope that cannot be one (``/Latchkey/AccessToken/isScope(_:)``), so that what was granted
    /// is unknown.
    public private(set) var hasUnknownScopes = false
    /// The ID token, not yet checked.
    public var idToken: Secret?

    /// How long the access token lasts: what the answer says, or what the token itself says, if it is a JWT and that is
    /// less. mockoidc writes nanoseconds into `expires_in`. `nil` if neither says it, or the answer says more than
    /// ``/Latchkey/Lifetime/longest``, which is no lifetime of a token.
    public var accessLasts: Duration? {
        let told = expiresIn.flatMap { $0 < Lifetime.longest ? $0 : nil }
        guard let claims = IDToken.claims(ofKept: accessToken), let ends = claims["exp"]?.number,
            let issued = claims["iat"]?.number, (1...Lifetime.longest.inSeconds).contains(ends - issued)
        else { return told }
        return min(told ?? .seconds(ends - issued), .seconds(ends - issued))
    }

    /// Reads the body of a successful answer. Unknown members are ignored.
    ///
    /// - Throws: ``/LatchkeyJSON/JSONError``; `missing` or `wrongType` at `$.access_token` if there
    ///   is no usable token.
    public static func read(_ body: [UInt8]) throws(JSONError) -> TokenResponse {
        try TokenResponse(try JSON.parse(body))
    }

    init(_ document: JSON) throws(JSONError) {
        let answer = JSONField(document)
        accessToken = try Self.token(answer[OAuthWire.accessToken])
        scheme = try Self.scheme(answer[OAuthWire.tokenType])
        expiresIn = WireNumber.seconds(answer[OAuthWire.expiresIn].value)
        refreshToken = (answer[OAuthWire.refreshToken].value?.string).flatMap { $0.isEmpty ? nil : Secret($0) }
        refreshExpiresIn = [OAuthWire.refreshTokenExpiresIn, OAuthWire.refreshExpiresIn].lazy
            .compactMap { WireNumber.seconds(answer[$0].value) }.first.flatMap { $0 > .zero ? $0 : nil }
        idToken = (answer[OAuthWire.idToken].value?.string).flatMap { $0.isEmpty ? nil : Secret($0) }
        scopes = Self.scopes(answer[OAuthWire.scope].value)
        hasUnknownScopes = scopes?.allSatisfy(AccessToken.isScope) == false
        if hasUnknownScopes { scopes = nil }
    }

    private static func token(_ field: JSONField) throws(JSONError) -> Secret {
        let text = try field.string()
        guard !text.isEmpty else { throw JSONError(.missing, at: field.path) }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw JSONError(.wrongType, at: field.path) }
        return Secret(text)
    }

    /// Reads the token type. If absent it is `Bearer`: several large services leave it out. The known names are spelled
    /// in one way. `BearerToken` is what Apigee's gateway calls it by default (its page
    /// https://docs.apigee.com/api-platform/reference/policies/oauthv2-policy, "non-RFC-compliant behavior").
    private static func scheme(_ field: JSONField) throws(JSONError) -> String {
        guard let written = try field.optional?.string() else { return "Bearer" }
        let text = String(written.trimmingSpace)
        switch text.lowercased() {
        case "": return "Bearer"
        case "bearer", "bearertoken": return "Bearer"
        case "dpop": return "DPoP"
        default:
            guard text.utf8.allSatisfy(HTTPSyntax.isTokenByte) else { throw JSONError(.wrongType, at: field.path) }
            return text
        }
    }

    /// Reads scopes: separated by spaces in the RFC; separated by commas or written as a list by some services.
    private static func scopes(_ value: JSON?) -> [String]? {
        switch value {
        case .string(let text):
            let found = text.split { $0 == " " || $0 == "," }.map(String.init)
            return found.isEmpty ? nil : found
        case .array(let items): return items.compactMap(\.string).filter { !$0.isEmpty }
        default: return nil
        }
    }
}

extension TokenResponse: CustomStringConvertible, CustomReflectable {
    /// A fixed text without content.
    public var description: String { "token answer" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
    /// The text without white space at its ends.
    fileprivate var trimmingSpace: Substring {
        let rest = drop(while: \.isWhitespace)
        return rest.prefix(upTo: rest.lastIndex { !$0.isWhitespace }.map(rest.index(after:)) ?? rest.startIndex)
    }
}

/// Reads numbers as services write them: as numbers, with fractions, or as strings.
enum WireNumber {
    /// Reads a time in seconds, never negative and at most ``/Latchkey/Lifetime/longest``; `nil` if
    /// it is not a number.
    static func seconds(_ value: JSON?) -> Duration? {
        let number: Double? =
            switch value {
            case .string(let text): Double(text.trimmingSpace)
            default: value?.number
            }
        guard let number, number.isFinite else { return nil }
        return .seconds(min(max(number, 0), Lifetime.longest.inSeconds))
    }
}
