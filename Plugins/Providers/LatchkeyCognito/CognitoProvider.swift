public import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyPluginKit

/// A provider for one app client of an Amazon Cognito user pool. It uses the JSON calls that need no signature.
///
/// | Situation | What happens |
/// | --- | --- |
/// | A further factor is needed | ``/Latchkey/Ask/totp`` or ``/Latchkey/Ask/code(over:sentTo:)``; ``/Latchkey/Ask/choose(_:)`` between several |
/// | The pool requires an authenticator app, and the person has none | ``/Latchkey/Ask/enrolment(_:)``; the app's first code ends the sign-in |
/// | An administrator set the password | ``/Latchkey/Ask/fields(_:)``: a new password, and the attributes that the pool requires |
/// | An administrator requires a password reset | as ``/Latchkey/SignInRequest/recover(identifier:)`` |
/// | The account is not confirmed | ``/Latchkey/Ask/code(over:sentTo:)``, then ``/Latchkey/Ask/password`` again, which is never stored |
/// | The person has lost the password | ``/Latchkey/Ask/fields(_:)``: the code that was sent and a new password, which signs in |
/// | A sign-up is confirmed | ``/Latchkey/Elsewhere/signIn``, because the password was not stored |
/// | A sign-up waits for an administrator | ``/Latchkey/Elsewhere/approval`` |
/// | The service does not know the person | the same as for a wrong password |
///
/// ``/Latchkey/Answer/resend`` sends the code of a sign-up, of a reset or of a first factor again.
/// The service sends the code of a second factor only once.
///
/// A signed-in person adds an authenticator app by linking the custom method ``authenticatorApp``.
///
/// **Passwords** are sent to the service as they are, over TLS (`USER_PASSWORD_AUTH`, which the app
/// client must allow), and not by the Secure Remote Password protocol. That protocol hides the
/// password from anyone who reads the connection, but not from the service, which learns it at each
/// sign-up and reset. It also needs arithmetic with numbers of 3072 bits, and triggers that migrate
/// users from another system do not work with it.
///
/// **Devices**: in a pool that tracks devices, this device is confirmed and its key is kept per
/// account. The key is sent with refreshes, which the service refuses without it, and with the next
/// sign-in. The proof by which a remembered device replaces a factor (`DEVICE_SRP_AUTH`, by the
/// same protocol) is not supported: if the service asks for it, the sign-in continues without the device.
///
/// Also not supported: custom challenges, passkeys, step-up by context classes, and the pages of
/// managed login, which are plain OpenID Connect.
///
/// The source for the service's behavior is its model `2016-04-18` in botocore 1.44.5.
public struct CognitoProvider: Sendable {
    /// The provider's name within the client.
    public var name: ProviderID
    /// The user pool, such as `eu-west-1_AbCdEfGhI`.
    public var userPool: String
    /// The app client's id.
    public var clientID: String
    /// The app client's secret, if it has one. An app that people install must not have one.
    public var clientSecret: Secret?
    /// The address of the service, without a slash at the end. The default is the region's own.
    public var endpoint: String
    /// The app client's setting for refresh tokens: `fixed` without rotation (by
    /// `REFRESH_TOKEN_AUTH`), `newSuccessor` with rotation and a grace period, `killsFamily` with
    /// rotation and no grace period (both by `GetTokensFromRefreshToken`). With the wrong setting,
    /// the service refuses the call.
    public var refresh = ProviderRules.RefreshRule.fixed
    /// The pool's rules for passwords, to be shown to people: the service does not report them.
    public var passwordRules: [String] = []
    /// The name of the service in an authenticator app.
    public var title: String

    /// The custom method for linking an authenticator app. It has no fields.
    public static let authenticatorApp = "totp"

    /// The issuer that the tokens name, whatever the endpoint is.
    var issuer: String { "\(Self.origin(of: userPool))/\(userPool)" }

    fileprivate static func origin(of pool: String) -> String {
        let region = pool.prefix { $0 != "_" }
        return "https://cognito-idp.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")"
    }
}

extension AuthProvider where Self == CognitoProvider {
    /// Signs people in with an app client of a user pool. Set less common options on the result;
    /// see ``CognitoProvider``.
    public static func cognito(
        userPool: String, clientID: String, clientSecret: Secret? = nil, named name: ProviderID = "cognito"
    ) -> CognitoProvider {
        CognitoProvider(
            name: name, userPool: userPool, clientID: clientID, clientSecret: clientSecret,
            endpoint: CognitoProvider.origin(of: userPool), title: name.name)
    }
}

extension CognitoProvider: AuthProvider {
    /// The provider's rules. Refresh tokens follow ``refresh``. Signing out everywhere needs an
    /// access token that has not expired.
    public var rules: ProviderRules {
        ProviderRules(
            binding: ProviderBinding(provider: name, authority: issuer, client: clientID),
            methods: [.password, .code, .custom], refresh: refresh,
            capabilities: [.signUp, .recovery, .linking, .signOutEverywhere],
            customMethods: [CustomMethod(name: Self.authenticatorApp)], revocation: .liveAccessTokenForOthers,
            elevation: .fixed)
    }

    /// Starts signing in, creating an account, recovering one, or linking an authenticator app.
    ///
    /// - Throws: ``/Latchkey/AuthError``, ``/Latchkey/TransportError``.
    public func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        if let missing = CryptoLibrary.missing { throw missing }
        return try await CognitoService(provider: self, context: context).begin(request)
    }

    /// Continues with the person's answer. A decline needs no call: the service drops the sign-in by itself.
    public func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        if let missing = CryptoLibrary.missing { throw missing }
        let service = CognitoService(provider: self, context: context, wording: { $0.error(isTyped: true) })
        return try await service.answer(answer, to: challenge)
    }

    /// Gets new tokens with one POST.
    ///
    /// - Throws: ``/Latchkey/Refusal``, definite if the service says that the token or the person
    ///   no longer exists; ``/Latchkey/NotSent`` if it refused the client, the form or the number
    ///   of requests; ``/Latchkey/TransportError``; ``/Latchkey/AuthError``.
    public func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        let (session, token) = try checked(credential, want)
        let service = CognitoService(provider: self, context: context, wording: \.refusal, spendsToken: true)
        let (user, device) = (session.state["user"]?.string ?? "", session.state["device"])
        let secret = JSON.revealing(token)
        let answer =
            refresh == .fixed
            ? try await service.initiate("REFRESH_TOKEN_AUTH", user, ["REFRESH_TOKEN": secret, "DEVICE_KEY": device])
            : try await service.call(
                "GetTokensFromRefreshToken", of: nil, ["RefreshToken": secret, "DeviceKey": device])
        let next = try service.session(answer, over: session, device: device)
        let rotated = answer["AuthenticationResult"]?["RefreshToken"]?.string.map { Secret($0) }
        return CredentialChange(refreshToken: rotated, minted: [next.id: next.tokens], sessions: [next])
    }

    /// What a refresh of `credential` sends, and for which session.
    private func checked(
        _ credential: Credential, _ want: TokenWant
    ) throws(NotSent) -> (session: AuthSession, token: Secret) {
        if let missing = CryptoLibrary.missing { throw NotSent(AuthError(missing, provider: name)) }
        guard let session = credential.session(want.session), let token = credential.refreshToken, !token.isEmpty else {
            throw NotSent(error(.signInRequired(.expired), "The session has no refresh token."))
        }
        return (session, token)
    }

    /// Returns an error of this provider.
    func error(_ code: AuthError.Code, _ message: String) -> AuthError { AuthError(code, message, provider: name) }
}

extension CognitoProvider: SessionRevoking {
    /// Revokes the refresh token and the access tokens that came from it. With the scope
    /// `everywhere`, signs the person out with an access token that has not expired.
    ///
    /// - Throws: `configuration(.unsupported)` if the app client cannot revoke tokens, or if the
    ///   session is already over and was to end the others. Any other error means that the sign-out failed.
    public func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
        let service = CognitoService(provider: self, context: context)
        let credential = revocation.credential
        switch revocation.scope {
        case .thisSession:
            _ = try await service.call("RevokeToken", of: nil, ["Token": .revealing(credential.refreshToken)])
        case .everywhere:
            let token = credential.sessions.first?.tokens[.standard]
            _ = try await service.call("GlobalSignOut", ["AccessToken": .revealing(token?.value)])
        case .others: throw error(.configuration(.unsupported), "The service ends one session, or all.")
        }
    }
}

extension CognitoProvider: RefreshPreparing {
    /// Checks what a refresh needs, the system's library among it. It asks the service for nothing.
    ///
    /// - Throws: ``/Latchkey/NotSent``.
    public func prepareRefresh(
        of credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> (any Sendable)? {
        _ = try checked(credential, want)
        return nil
    }
}

extension CognitoProvider: ConfigurationChecking {
    /// Checks that pool, client, endpoint and kind of refresh can be used as they are.
    public func checkConfiguration() throws(AuthError) {
        guard userPool.split(separator: "_").count == 2, !clientID.isEmpty, clientSecret?.isEmpty != true,
            WebAddress(endpoint)?.isSecure == true, ![.sameSuccessor, .mints].contains(refresh)
        else { throw error(.configuration(.invalid), "Pool, client, endpoint or kind of refresh cannot be used.") }
    }
}
