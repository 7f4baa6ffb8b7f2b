public import Latchkey
import LatchkeyCrypto

/// How the client authenticates at the token, device and revocation endpoints
/// ([RFC 6749, section 2.3](https://www.rfc-editor.org/rfc/rfc6749#section-2.3)).
///
/// A secret in a distributed app is not secret (RFC 8252, section 8.5): public clients use ``none``.
@nonexhaustive
public enum ClientAuthentication: Equatable, Sendable {
    /// A public client, which sends only its id, in the body.
    case none
    /// A secret in the `Authorization` header.
    case basic(Secret, encoding: BasicEncoding = .form)
    /// A secret in the body.
    case post(Secret)

    /// How id and secret are encoded before a colon joins them.
    ///
    /// It is set and not tried out: a service may take a code or a refresh token as used although it refuses the client
    /// (better-auth does), so the second try would come too late, and could look like a theft.
    public enum BasicEncoding: Hashable, Sendable {
        /// Both are form-encoded, as section 2.3.1 requires, with a space as `%20`.
        case form
        /// Neither is encoded, for services that skip the encoding. This differs only for characters that need it.
        case raw
    }

    /// Whether the two encodings of Basic differ for this client, so that a service which decodes none of them refuses
    /// what the standard asks for. go-oidc, node-oauth2-server and go-oauth2 decode none.
    public func dependsOnEncoding(clientID: String) -> Bool {
        guard case .basic(let secret, _) = self else { return false }
        return Self.basic(clientID, secret, .form) != Self.basic(clientID, secret, .raw)
    }

    /// Returns the way to send the same secret that an endpoint lists, if it lists the one here not and the other one.
    /// A list that names neither, or is missing, changes nothing: what a service takes is not always what it lists.
    ///
    /// - Parameter methods: The endpoint's list, such as `token_endpoint_auth_methods_supported` (RFC 8414, section 2).
    public func fitting(_ methods: [String]?) -> ClientAuthentication {
        let listed = Set(methods ?? []).intersection([OAuthWire.basicAuthentication, OAuthWire.postAuthentication])
        guard listed.count == 1 else { return self }
        return switch self {
        case .basic(let secret, encoding: _) where listed.contains(OAuthWire.postAuthentication): .post(secret)
        case .post(let secret) where listed.contains(OAuthWire.basicAuthentication): .basic(secret)
        case .none, .basic, .post: self
        }
    }

    /// Adds the authentication to a request, either to its body or to its header, never to both.
    public func apply(clientID: String, to form: inout FormParameters, _ fields: inout HeaderFields) {
        switch self {
        case .none:
            form.add(OAuthWire.clientID, clientID)
        case .basic(let secret, let encoding):
            fields["Authorization"] = Self.basic(clientID, secret, encoding)
        case .post(let secret):
            form.add(OAuthWire.clientID, clientID)
            form.add(OAuthWire.clientSecret, secret.revealText())
        }
    }

    private static func basic(_ clientID: String, _ secret: Secret, _ encoding: BasicEncoding) -> String {
        let pair =
            switch encoding {
            case .form:
                FormEncoding.encodeWithoutPlus(clientID) + ":"
                    + FormEncoding.encodeWithoutPlus(secret.revealText())
            case .raw: clientID + ":" + secret.revealText()
            }
        return "Basic " + Base64.encode(Array(pair.utf8))
    }
}
