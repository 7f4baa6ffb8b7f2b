public import Latchkey
public import LatchkeyJSON

/// Tokens, as the token endpoint gives them
/// ([RFC 6749, section 5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1)).
public struct TokenResponse: Sendable {
    /// The access token: visible ASCII only, because it goes into a header.
    public var accessToken: Secret
    /// How it is sent: `Bearer`, `DPoP`, or what else the service wrote.
    public var scheme: String
    /// How long it lasts; `nil` where the service does not say, which is not "forever". At most
    /// ``/Latchkey/Lifetime/longest``.
    public var expiresIn: Duration?
    /// The new refresh token; `nil`: the old one stays.
    public var refreshToken: Secret?
    /// What was granted; `nil`: what was asked for.
    public var scopes: [String]?
    /// The ID token, not yet checked.
    public var idToken: Secret?

    /// Reads the body of a successful answer. Members it does not know are passed over.
    ///
    /// - Throws: ``/LatchkeyJSON/JSONError``; `missing` or `wrongType` at `$.access_token` where there is no usable
    ///   token.
    public static func read(_ body: [UInt8]) throws(JSONError) -> TokenResponse {
        try TokenResponse(try JSON.parse(body))
    }

    init(_ document: JSON) throws(JSONError) {
        let answer = JSONField(document)
        accessToken = try Self.token(answer[OAuthWire.accessToken])
        scheme = try Self.scheme(answer[OAuthWire.tokenType])
        expiresIn = WireNumber.seconds(answer[OAuthWire.expiresIn].value)
        refreshToken = (answer[OAuthWire.refreshToken].value?.string).flatMap { $0.isEmpty ? nil : Secret($0) }
        idToken = (answer[OAuthWire.idToken].value?.string).flatMap { $0.isEmpty ? nil : Secret($0) }
        scopes = Self.scopes(answer[OAuthWire.scope].value)
    }

    private static func token(_ field: JSONField) throws(JSONError) -> Secret {
        let text = try field.string()
        guard !text.isEmpty else { throw JSONError(.missing, at: field.path) }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw JSONError(.wrongType, at: field.path) }
        return Secret(text)
    }

    /// Absent means `Bearer`: several large services leave it out. The two known names are written in one way.
    private static func scheme(_ field: JSONField) throws(JSONError) -> String {
        guard let text = try field.optional?.string(), !text.isEmpty else { return "Bearer" }
        switch text.lowercased() {
        case "bearer": return "Bearer"
        case "dpop": return "DPoP"
        default:
            guard text.utf8.allSatisfy(HTTPSyntax.isTokenByte) else { throw JSONError(.wrongType, at: field.path) }
            return text
        }
    }

    /// Space-separated by the RFC; comma-separated and as a list by some services.
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
    /// Nothing of its content.
    public var description: String { "token answer" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Numbers as services write them: as numbers, with fractions, or as text.
enum WireNumber {
    /// A time in seconds: never negative, at most ``/Latchkey/Lifetime/longest``; `nil` for what is no number.
    static func seconds(_ value: JSON?) -> Duration? {
        let number: Double? =
            switch value {
            case .string(let text): Double(text)
            default: value?.number
            }
        guard let number, number.isFinite else { return nil }
        return .seconds(min(max(number, 0), Lifetime.longest.inSeconds))
    }
}
