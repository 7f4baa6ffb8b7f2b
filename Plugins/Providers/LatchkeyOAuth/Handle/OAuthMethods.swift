public import Latchkey

/// The ways to sign in at a service that speaks OAuth 2 or OpenID Connect.
extension ProviderMethod where Provider == OAuthProvider {
    /// A visit to the service in a browser.
    public static func browser() -> Self { Self(.browser()) }

    /// A code that the person enters on another device (RFC 8628).
    public static var device: Self { Self(.device) }

    /// A refresh token that the app has from elsewhere; see ``/Latchkey/SignInMethod/refreshToken(_:)``.
    public static func refreshToken(_ token: Secret) -> Self { Self(.refreshToken(token)) }

    /// The program's own credentials, without a person (RFC 6749, section 4.4). The provider must have a secret or a key.
    public static var clientCredentials: Self { Self(.clientCredentials) }
}
