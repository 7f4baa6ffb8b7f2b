public import Latchkey
import LatchkeyJSON

extension AuthClient {
    /// What only Supabase can do, for one account.
    ///
    /// - Parameters:
    ///   - name: Which of several providers; `nil`: the only one.
    ///   - account: Whose account; `nil`: the current one, at each call.
    public func supabase(
        _ name: ProviderID? = nil, account: AccountID? = nil
    ) throws(AuthError) -> SupabaseHandle {
        SupabaseHandle(client: self, provider: try provider(SupabaseProvider.self, named: name), account: account)
    }
}

/// What only Supabase can do, for one account. Whatever changes the person runs one at a time, also between processes:
/// the service loses changes that are made side by side, and a refresh beside the proof of a factor ends the session.
///
/// Each call asks with a token that is good, and once more after a refresh if the service calls it bad all the same.
/// Where the service says that session or person are gone, the session ends here too.
public struct SupabaseHandle: Sendable {
    let client: AuthClient
    let provider: SupabaseProvider
    /// Whose account; `nil`: the current one, at each call.
    public let account: AccountID?

    /// A person's session in the midst of a call.
    struct Held: Sendable {
        let session: AuthSession
        let token: Secret
        let credential: Credential
        let context: ProviderContext
        let provider: SupabaseProvider

        var service: SupabaseService { SupabaseService(provider: provider, context: context) }

        /// The JSON that a request of the person brings.
        func json(_ method: String, _ path: String, body: [String: JSON] = [:]) async throws -> JSON {
            try await service.json(ServiceRequest(method, path, body: body, bearer: token))
        }

        /// What the newest description of the person changes.
        func change(_ user: SupabaseUser) -> CredentialChange {
            var next = session
            var state = SessionState(session.state)
            state.user = user.json
            next.state = state.json(over: session.state)
            next.label = UserAnswer.label(in: user.json)
            return CredentialChange(sessions: credential.sessions.map { $0.id == next.id ? next : $0 })
        }

        /// What a session that a request brought changes. It must be the same person's.
        func change(_ answer: SessionAnswer) throws(AuthError) -> CredentialChange {
            guard AccountID(subject: answer.subject, of: provider.binding) == session.account else {
                throw AuthError(.untrusted(.subject), "The answer speaks of another person.", provider: provider.name)
            }
            return provider.change(answer, of: session, in: context)
        }
    }

    /// Runs `work` alone in the account's lane.
    ///
    /// - Parameter replay: What sending the refresh token again does once `work`'s request has taken effect.
    func run<Result: Sendable>(
        _ replay: ProviderRules.RefreshRule = .fixed,
        _ work: @escaping @Sendable (Held) async throws -> (CredentialChange, Result)
    ) async throws(AuthError) -> Result {
        try await withGoodToken { () throws(AuthError) in try await attempt(replay, work) }
    }

    /// Runs `call` once the access token is good, and once more after a refresh where the service calls it bad all the
    /// same.
    func withGoodToken<Result: Sendable>(
        _ call: () async throws(AuthError) -> Result
    ) async throws(AuthError) -> Result {
        _ = try await client.accessToken(of: account)
        do throws(AuthError) {
            return try await call()
        } catch {
            // The service looks at the token first, so nothing was done.
            guard error.supabase == .badJWT else { throw error }
            try await client.refresh(of: account)
            return try await call()
        }
    }

    /// Runs `work` alone in the account's lane, with the token that is there.
    func attempt<Result: Sendable>(
        _ replay: ProviderRules.RefreshRule = .fixed,
        _ work: @escaping @Sendable (Held) async throws -> (CredentialChange, Result)
    ) async throws(AuthError) -> Result {
        try await client.perform(on: account, replay: replay) { [provider, account] credential, context in
            guard credential.binding.provider == provider.name,
                let session = credential.sessions.first(where: { account ?? $0.account == $0.account }),
                let token = session.tokens[.standard]?.value
            else {
                throw NotSent(
                    AuthError(
                        .configuration(.invalid), "The account does not belong to this provider.",
                        provider: provider.name)
                )
            }
            let held = Held(
                session: session, token: token, credential: credential, context: context, provider: provider)
            do {
                return try await work(held)
            } catch let failure as SupabaseFailure {
                throw failure.ofHandle(provider.name)
            }
        }
    }

    /// A path with an id in it that came from outside.
    func path(_ base: String, _ id: String, _ rest: String = "") throws(AuthError) -> String {
        guard UserAnswer.isPlain(id) else {
            throw AuthError(.configuration(.invalid), "This is no id of the service.", provider: provider.name)
        }
        return "\(base)/\(id)\(rest)"
    }
}

extension SupabaseFailure {
    /// The failure of a person's own call, in the lane.
    fileprivate func ofHandle(_ provider: ProviderID) -> any Error {
        switch code {
        case .sessionNotFound, .userNotFound, .userBanned:
            return refusal
        default:
            // The service answered, and changed nothing: nothing is under way any more.
            return answer.isOfService && answer.status < 500 ? NotSent(authError(provider)) : authError(provider)
        }
    }
}
