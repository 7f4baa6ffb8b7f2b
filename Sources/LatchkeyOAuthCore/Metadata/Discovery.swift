public import Latchkey
import LatchkeyJSON

/// The addresses of a service's discovery document
/// ([RFC 8414, section 3.1](https://www.rfc-editor.org/rfc/rfc8414#section-3.1); OpenID Connect Discovery, section 4).
public enum Discovery {
    /// Returns the addresses to try, in order: OpenID Connect's, appended to the path; RFC 8414's,
    /// inserted before it.
    ///
    /// - Throws: `configuration(.invalid)` for an issuer that is neither https nor loopback http, or that has a query
    ///   or fragment.
    public static func addresses(of issuer: String) throws(AuthError) -> [String] {
        guard let address = WebAddress(issuer), address.isSecure, address.query == nil, address.fragment == nil else {
            throw AuthError(
                .configuration(.invalid), "The issuer is neither https nor loopback http, or has a query or fragment.")
        }
        let path = address.path.hasSuffix("/") ? String(address.path.dropLast()) : address.path
        return [
            "\(address.origin)\(path)/.well-known/openid-configuration",
            "\(address.origin)/.well-known/oauth-authorization-server\(path)",
        ]
    }

    /// Whether a body is such a document, right or wrong, and not a page or JSON of something else.
    package static func isDocument(_ body: [UInt8]) -> Bool {
        guard let document = try? JSON.parse(body) else { return false }
        return [OAuthWire.issuer, OAuthWire.tokenEndpoint, OAuthWire.authorizationEndpoint, OAuthWire.jwksURI]
            .contains { document[$0] != nil }
    }
}
