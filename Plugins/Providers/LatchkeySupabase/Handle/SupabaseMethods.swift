public import Latchkey

/// The ways to sign in at a Supabase project.
extension ProviderMethod where Provider == SupabaseProvider {
    /// A password.
    public static func password(identifier: String, _ password: Secret) -> Self {
        Self(.password(identifier: identifier, password))
    }

    /// A code that the service sends.
    public static func code(identifier: String, over channel: DeliveryChannel) -> Self {
        Self(.code(identifier: identifier, over: channel))
    }

    /// A link that the service sends.
    public static func link(identifier: String) -> Self { Self(.link(identifier: identifier)) }

    /// A visit in a browser to an identity provider behind the service, such as `github`.
    public static func browser(connection: String) -> Self { Self(.browser(connection: connection)) }

    /// The identity provider of an organization.
    public static func enterprise(domain: String) -> Self { Self(.enterprise(domain: domain)) }

    /// An ID token that another issuer has issued.
    public static func idToken(_ token: Secret, issuer: String, nonce: Secret? = nil) -> Self {
        Self(.idToken(token, issuer: issuer, nonce: nonce))
    }

    /// A ticket from the app's own server.
    public static func ticket(_ ticket: Secret) -> Self { Self(.ticket(ticket)) }

    /// A refresh token that the app has from elsewhere; see ``/Latchkey/SignInMethod/refreshToken(_:)``.
    public static func refreshToken(_ token: Secret) -> Self { Self(.refreshToken(token)) }

    /// A passkey.
    public static var passkey: Self { Self(.passkey) }

    /// A signature by a wallet.
    public static func wallet(chain: String) -> Self { Self(.wallet(chain: chain)) }

    /// An anonymous account.
    public static var anonymous: Self { Self(.anonymous) }
}

/// What a Supabase project does for accounts.
extension ProviderRequest where Provider == SupabaseProvider {
    /// Creates an account.
    public static func signUp(_ form: SignUpForm) -> Self { Self(.signUp(form)) }

    /// Recovers an account whose password is lost.
    public static func recover(identifier: String) -> Self { Self(.recover(identifier: identifier)) }
}
