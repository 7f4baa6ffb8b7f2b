public import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

extension AuthClient {
    /// Returns a handle to what only OpenID Connect offers, for one account.
    ///
    /// - Parameters:
    ///   - name: The provider's name; `nil` if the client has only one OAuth provider.
    ///   - account: The account; `nil` for the account that is current at each call.
    public func oauth(_ name: ProviderID? = nil, account: AccountID? = nil) throws(AuthError) -> OAuthHandle {
        OAuthHandle(client: self, provider: try provider(OAuthProvider.self, named: name), account: account)
    }
}

/// What only OpenID Connect offers, for one account: the person's claims, and the ID token.
///
/// Both come with the sign-in and are kept with the session, so they can be read offline, after a restart and by every
/// process of the store.
public struct OAuthHandle: ProviderHandle {
    /// The client.
    public let client: AuthClient
    /// The provider as it is configured.
    public let provider: OAuthProvider
    /// The account; `nil` for the account that is current at each call.
    public let account: AccountID?

    /// The session as it is kept.
    func session() async throws(AuthError) -> AuthSession {
        try await client.session(of: account, at: provider.name)
    }

    /// A person's session during a call.
    struct Held: Sendable {
        let session: AuthSession
        let credential: Credential
        let context: ProviderContext

        /// Returns the change that stores another state of the session, and the label that follows from it.
        func change(_ state: SessionState) -> CredentialChange {
            var next = session
            next.state = state.json(over: session.state)
            next.label = state.person?.label ?? session.label
            guard next.state != session.state || next.label != session.label else { return CredentialChange() }
            return CredentialChange(sessions: credential.sessions.map { $0.id == next.id ? next : $0 })
        }
    }

    /// Runs `work` while no other call or refresh of `account` runs. It may send what spends nothing.
    func run<Result: Sendable>(
        _ account: AccountID, _ work: @escaping @Sendable (Held) async throws -> (CredentialChange, Result)
    ) async throws(AuthError) -> Result {
        try await client.perform(on: account, replay: .fixed) { [provider] credential, context in
            guard let session = credential.sessions.first(where: { $0.account == account }) else {
                throw AuthError(
                    .signInRequired(.signedOut), "That account is not signed in.", provider: provider.name)
            }
            return try await work(Held(session: session, credential: credential, context: context))
        }
    }
}
