public import Latchkey

/// The ways to sign in at a Clerk instance.
extension ProviderMethod where Provider == ClerkProvider {
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

    /// The single sign-on of the organization that the mail address belongs to.
    public static func enterprise(address: String) -> Self { Self(.enterprise(domain: address)) }

    /// An ID token that another issuer has issued.
    public static func idToken(_ token: Secret, issuer: String, nonce: Secret? = nil) -> Self {
        Self(.idToken(token, issuer: issuer, nonce: nonce))
    }

    /// A ticket from the app's own server.
    public static func ticket(_ ticket: Secret) -> Self { Self(.ticket(ticket)) }

    /// A passkey.
    public static var passkey: Self { Self(.passkey) }

    /// Takes over the people who are signed in through Clerk's own iOS library; see
    /// ``/Latchkey/SignInMethod/clerkDeviceToken(_:)``.
    public static func deviceToken(_ token: Secret) -> Self { Self(.clerkDeviceToken(token)) }
}

/// What a Clerk instance does for accounts.
extension ProviderRequest where Provider == ClerkProvider {
    /// Creates an account.
    public static func signUp(_ form: SignUpForm) -> Self { Self(.signUp(form)) }

    /// Recovers an account whose password is lost.
    public static func recover(identifier: String) -> Self { Self(.recover(identifier: identifier)) }
}
