public import Latchkey

/// The ways to sign in at a Cognito user pool.
extension ProviderMethod where Provider == CognitoProvider {
    /// A password.
    public static func password(identifier: String, _ password: Secret) -> Self {
        Self(.password(identifier: identifier, password))
    }

    /// A code that the service sends.
    public static func code(identifier: String, over channel: DeliveryChannel) -> Self {
        Self(.code(identifier: identifier, over: channel))
    }
}

/// What a Cognito user pool does for accounts.
extension ProviderRequest where Provider == CognitoProvider {
    /// Creates an account.
    public static func signUp(_ form: SignUpForm) -> Self { Self(.signUp(form)) }

    /// Recovers an account whose password is lost.
    public static func recover(identifier: String) -> Self { Self(.recover(identifier: identifier)) }
}
