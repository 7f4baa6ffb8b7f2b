public import Latchkey
import LatchkeyJSON

extension AuthClient {
    /// Returns a handle to what only Supabase offers, for one account.
    ///
    /// - Parameters:
    ///   - name: The provider's name; `nil` if the client has only one Supabase provider.
    ///   - account: The account; `nil` for the account that is current at each call.
    public func supabase(
        _ name: ProviderID? = nil, account: AccountID? = nil
    ) throws(AuthError) -> SupabaseHandle {
        SupabaseHandle(client: self, provider: try provider(SupabaseProvider.self, named: name), account: account)
    }
}

/// What only Supabase offers, for one account.
///
/// Calls that change the person run one at a time, also across processes: the service loses changes
/// that are made at the same time, and a refresh during the proof of a factor ends the session.
///
/// Each call uses a valid access token. If the service rejects the token all the same, the call is
/// sent once more after a refresh. If the service says that the session or the person no longer
/// exists, the session ends here too.
public struct SupabaseHandle: ProviderHandle {
    /// The client.
    public let client: AuthClient
    /// The provider as it is configured.
    public let provider: SupabaseProvider
    /// The account; `nil` for the account that is current at each call.
    public let account: AccountID?

    /// A person's session during a call.
    struct Held: Sendable {
        let session: AuthSession
        let token: Secret
        let credential: Credential
        let context: ProviderContext
        let provider: SupabaseProvider

        var service: SupabaseService { SupabaseService(provider: provider, context: context) }

        /// Sends a request for the person and returns its JSON.
        func json(_ method: String, _ path: String, body: [String: JSON] = [:]) async throws -> JSON {
            try await service.json(ServiceRequest(method, path, body: body, bearer: token))
        }

        /// Returns the change that stores a new description of the person.
        func change(_ user: SupabaseUser) -> CredentialChange {
            var next = session
            var state = SessionState(session.state)
            state.user = user.json
            next.state = state.json(over: session.state)
            next.label = UserAnswer.label(in: user.json)
            return CredentialChange(sessions: credential.sessions.map { $0.id == next.id ? next : $0 })
        }

        /// Returns the change that stores a session from an answer, which must be the same person's.
        func change(_ answer: SessionAnswer) throws(AuthError) -> CredentialChange {
            guard AccountID(subject: answer.subject, of: provider.binding) == session.account else {
                throw AuthError(.untrusted(.subject), "The answer speaks of another person.", provider: provider.name)
            }
            return provider.change(answer, of: session, in: context)
        }
    }

    typealias Shown<Result> = @Sendable (_ before: AuthSession, _ now: AuthSession) -> Result?

    /// Runs `work` while no other call or refresh of the account runs.
    ///
    /// - Parameters:
    ///   - replay: What happens if the refresh token is sent again after `work`'s request has taken effect.
    ///   - shown: The result, if a session that was refreshed meanwhile shows that it has.
    func run<Result: Sendable>(
        _ replay: ProviderRules.RefreshRule = .fixed, shown: Shown<Result>? = nil,
        _ work: @escaping @Sendable (Held) async throws -> (CredentialChange, Result)
    ) async throws(AuthError) -> Result {
        try await withGoodToken { (person) throws(AuthError) in
            try await attempt(person, replay, shown: shown, work)
        }
    }

    /// Runs `call` for one account with a valid access token, and once more after a refresh if the service rejects
    /// the token all the same. Whoever becomes the current account meanwhile, it stays that account.
    func withGoodToken<Result: Sendable>(
        _ call: (AccountID) async throws(AuthError) -> Result
    ) async throws(AuthError) -> Result {
        let person = try await client.account(for: account, at: provider.name)
        _ = try await client.accessToken(of: person)
        do throws(AuthError) {
            return try await call(person)
        } catch {
            // The service checks the token first, so nothing was done.
            guard error.supabase == .badJWT else { throw error }
            try await client.refresh(of: person)
            return try await call(person)
        }
    }

    /// Runs `work` while no other call or refresh of `person` runs, with the token that is stored.
    func attempt<Result: Sendable>(
        _ person: AccountID, _ replay: ProviderRules.RefreshRule = .fixed, shown: Shown<Result>? = nil,
        _ work: @escaping @Sendable (Held) async throws -> (CredentialChange, Result)
    ) async throws(AuthError) -> Result {
        try await client.perform(as: person, at: provider.name, replay: replay, shown: shown) {
            [provider] principal, context in
            guard let token = principal.accessToken?.value else {
                throw NotSent(
                    AuthError(
                        .configuration(.invalid), "The session has no access token to call with.",
                        provider: provider.name))
            }
            let held = Held(
                session: principal.session, token: token, credential: principal.credential, context: context,
                provider: provider)
            do {
                return try await work(held)
            } catch let failure as SupabaseFailure {
                throw failure.ofHandle(provider.name)
            }
        }
    }

    /// Returns a path that contains an id from outside, after checking the id.
    func path(_ base: String, _ id: String, _ rest: String = "") throws(AuthError) -> String {
        guard UserAnswer.isPlain(id) else {
            throw AuthError(.configuration(.invalid), "This is no id of the service.", provider: provider.name)
        }
        return "\(base)/\(id)\(rest)"
    }
}

extension SupabaseFailure {
    /// The error that a call in the person's name throws.
    fileprivate func ofHandle(_ provider: ProviderID) -> any Error {
        switch code {
        case .sessionNotFound, .userNotFound, .userBanned:
            return refusal
        default:
            // The service answered and changed nothing, so the call is finished.
            return answer.isOfService && answer.status < 500 ? NotSent(authError(provider)) : authError(provider)
        }
    }
}
