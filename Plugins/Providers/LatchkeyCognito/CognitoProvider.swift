public import Latchkey
import LatchkeyJSON
import LatchkeyPluginKit

/// Amazon Cognito: one app client of a user pool, by the JSON calls that need no signature.
///
/// | Situation | What happens |
/// | --- | --- |
/// | A further factor is wanted | ``/Latchkey/Ask/totp`` or ``/Latchkey/Ask/code(over:sentTo:)``; ``/Latchkey/Ask/choose(_:)`` between several |
/// | The pool wants an authenticator app, and there is none | ``/Latchkey/Ask/enrolment(_:)``; its first code ends the sign-in |
/// | An administrator gave the password | ``/Latchkey/Ask/fields(_:)``: a new one, and the attributes that the pool wants |
/// | An administrator wants the password reset | as ``/Latchkey/SignInRequest/recover(identifier:)`` |
/// | The account is not confirmed | ``/Latchkey/Ask/code(over:sentTo:)``, then ``/Latchkey/Ask/password`` again: it is never kept |
/// | A password is lost | ``/Latchkey/Ask/fields(_:)``: the code that was sent and a new password, which signs in |
/// | A sign-up is confirmed | ``/Latchkey/Elsewhere/signIn``, since the password was not kept |
/// | A sign-up waits for an administrator | ``/Latchkey/Elsewhere/approval`` |
/// | The person is not known | as if the password were wrong |
///
/// ``/Latchkey/Answer/resend`` has the code of a sign-up, of a reset and of a first factor sent again. That of a second factor
/// the service sends once.
///
/// Whoever is signed in adds an authenticator app by linking the custom method ``authenticatorApp``.
///
/// **Passwords** go to the service as they are, inside of TLS (`USER_PASSWORD_AUTH`, which the app client has to allow),
/// and not by the Secure Remote Password protocol. That one hides the password from whoever reads the connection, not
/// from the service, which learns it at each sign-up and reset. It takes arithmetic with numbers of 3072 bits, and
/// triggers that move people in from elsewhere do not work with it.
///
/// **Devices**: in a pool that tracks them this one is confirmed and its key kept per account. It is sent with refreshes,
/// which are refused without it, and with the next sign-in. What is not supported is the proof by which a remembered
/// device replaces a factor (`DEVICE_SRP_AUTH`, by the same protocol): asked for it, the sign-in goes on without
/// the device.
///
/// Also not supported: custom challenges, passkeys, step-up by context classes, and the pages of managed login, which
/// are plain OpenID Connect.
///
/// What the service does is as its model `2016-04-18` says in botocore 1.44.5.
public struct CognitoProvider: Sendable {
    /// The name within the client.
    public var name: ProviderID
    /// The user pool, such as `eu-west-1_AbCdEfGhI`.
    public var userPool: String
    /// The app client.
    public var clientID: String
    /// The app client's secret, where it has one. An app that people install has none.
    public var clientSecret: Secret?
    /// Where the service is, without a slash at the end: the region's own by default.
    public var endpoint: String
    /// As the app client is set: `fixed` without refresh token rotation (by `REFRESH_TOKEN_AUTH`), `newSuccessor` with
    /// rotation and a grace period, `killsFamily` with rotation and none (both by `GetTokensFromRefreshToken`).
    /// Each kind refuses the other's call.
    public var refresh = ProviderRules.RefreshRule.fixed
    /// What the pool demands of a password, for people to read: the service does not say it.
    public var passwordRules: [String] = []
    /// What an authenticator app calls the service.
    public var title: String

    /// The custom method that can be linked. It has no fields.
    public static let authenticatorApp = "totp"

    /// Who its tokens say has issued them, wherever the calls go.
    var issuer: String { "\(Self.origin(of: userPool))/\(userPool)" }

    fileprivate static func origin(of pool: String) -> String {
        let region = pool.prefix { $0 != "_" }
        return "https://cognito-idp.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")"
    }
}

extension AuthProvider where Self == CognitoProvider {
    /// An app client of a user pool. What is less common is set afterwards; see ``CognitoProvider``.
    public static func cognito(
        userPool: String, clientID: String, clientSecret: Secret? = nil, named name: ProviderID = "cognito"
    ) -> CognitoProvider {
        CognitoProvider(
            name: name, userPool: userPool, clientID: clientID, clientSecret: clientSecret,
            endpoint: CognitoProvider.origin(of: userPool), title: name.name)
    }
}

extension CognitoProvider: AuthProvider {
    /// A refresh token as ``refresh`` says. Signing out everywhere takes a live access token.
    public var rules: ProviderRules {
        ProviderRules(
            binding: ProviderBinding(provider: name, authority: issuer, client: clientID),
            methods: [.password, .code, .custom], refresh: refresh,
            capabilities: [.signUp, .recovery, .linking, .signOutEverywhere],
            customMethods: [CustomMethod(name: Self.authenticatorApp)], revocation: .liveAccessTokenForOthers,
            elevation: .fixed)
    }

    /// Starts signing in, making an account, getting back into one, or linking an authenticator app.
    ///
    /// - Throws: ``/Latchkey/AuthError``, ``/Latchkey/TransportError``.
    public func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        try await CognitoService(provider: self, context: context).begin(request)
    }

    /// Goes on with what the person answers. A decline leaves nothing to end: the service forgets by itself.
    public func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        let service = CognitoService(provider: self, context: context, wording: { $0.error(isTyped: true) })
        return try await service.answer(answer, to: challenge)
    }

    /// Gets new tokens with one POST.
    ///
    /// - Throws: ``/Latchkey/Refusal``, definite where the service says that token or person are gone; ``/Latchkey/NotSent`` where it refused
    ///   client, form or number of requests; ``/Latchkey/TransportError``; ``/Latchkey/AuthError``.
    public func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        guard let session = credential.session(want.session), let token = credential.refreshToken, !token.isEmpty else {
            throw NotSent(error(.signInRequired(.expired), "The session has no refresh token."))
        }
        let service = CognitoService(provider: self, context: context, wording: \.refusal)
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

    /// An error of this provider.
    func error(_ code: AuthError.Code, _ message: String) -> AuthError { AuthError(code, message, provider: name) }
}

extension CognitoProvider: SessionRevoking {
    /// Revokes the refresh token and the access tokens that came of it; or, everywhere, signs the person out by an access
    /// token that has not ended.
    ///
    /// - Throws: `configuration(.unsupported)` where the app client revokes no tokens, or the session is over already and
    ///   was to end the others. Otherwise what came in the way.
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

extension CognitoProvider: ConfigurationChecking {
    /// Returns when pool, client and endpoint can be used as they are.
    public func checkConfiguration() throws(AuthError) {
        guard userPool.split(separator: "_").count == 2, !clientID.isEmpty, clientSecret?.isEmpty != true,
            WebAddress(endpoint)?.isSecure == true, ![.sameSuccessor, .mints].contains(refresh)
        else { throw error(.configuration(.invalid), "Pool, client, endpoint or kind of refresh cannot be used.") }
    }
}
