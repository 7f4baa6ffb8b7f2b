package import Latchkey
import LatchkeyJSON

/// The tokens that an answer of a token endpoint has brought, however wrong the rest of it is.
package struct GivenTokens: Sendable {
    /// The refresh token.
    package var refresh: Secret?
    /// The access token.
    package var access: Secret?
    /// The ID token, not checked.
    package var id: Secret?

    /// Reads them. An answer that is no success, or has an error, has brought none.
    package init(_ response: TransportResponse) {
        guard (200...299).contains(response.status),
            SalvagedText.find([OAuthWire.error], in: response.body)?.isEmpty ?? true
        else { return }
        func token(_ name: String) -> Secret? {
            SalvagedText.token(at: [name], in: response.body).map { Secret($0) }
        }
        (refresh, access, id) = (token(OAuthWire.refreshToken), token(OAuthWire.accessToken), token(OAuthWire.idToken))
    }

    /// Whether nothing came that could be revoked.
    package var isEmpty: Bool { refresh == nil && access == nil }
}
