public import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

extension AuthClient {
    /// Returns a handle to what only Clerk offers, for one account.
    ///
    /// - Parameters:
    ///   - name: The provider's name; `nil` if the client has only one Clerk provider.
    ///   - account: The account; `nil` for the account that is current at each call.
    public func clerk(_ name: ProviderID? = nil, account: AccountID? = nil) throws(AuthError) -> ClerkHandle {
        ClerkHandle(client: self, provider: try provider(ClerkProvider.self, named: name), account: account)
    }
}

/// What only Clerk offers, for one account.
///
/// Calls for an account run one at a time, also across processes: any answer may bring a new client
/// token, which is stored before the next call is sent. A call for which the service first wants a
/// proof throws `refused(.factorRequired)` with the service's code
/// `session_reverification_required`.
public struct ClerkHandle: ProviderHandle {
    /// The client.
    public let client: AuthClient
    /// The provider as it is configured.
    public let provider: ClerkProvider
    /// The account; `nil` for the account that is current at each call.
    public let account: AccountID?

    /// Sends a request as the person and reads the answer.
    ///
    /// - Parameter change: What the answer changes about the session.
    func call<Result: Sendable>(
        _ method: String, _ path: String, _ form: FormParameters? = nil, query: FormParameters = FormParameters(),
        changing change: @escaping @Sendable (JSON, inout AuthSession) -> Void = { _, _ in },
        reading read: @escaping @Sendable (JSON) throws -> Result
    ) async throws(AuthError) -> Result {
        try await run { service, session in
            var query = query
            query.add("_clerk_session_id", session.id.value)
            let answer = try await service.send(
                method, path, query, body: form.map { Array(FormEncoding.encode($0).utf8) })
            change(answer, &session)
            return try read(answer)
        }
    }

    /// The same handle for one account, whoever becomes the current one. A call of several requests makes all of
    /// them with it.
    func ofOne() async throws(AuthError) -> ClerkHandle {
        ClerkHandle(
            client: client, provider: provider, account: try await client.account(for: account, at: provider.name))
    }

    /// Runs `work` with the current client token, while no other call or refresh of the account
    /// runs. If the service does not know the session, a refresh finds out whether it is over. If
    /// so, the session ends here too; otherwise `work` runs once more.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable (ClerkService, inout AuthSession) async throws -> Result
    ) async throws(AuthError) -> Result {
        let person = try await client.account(for: account, at: provider.name)
        do throws(AuthError) {
            return try await attempt(person, work)
        } catch {
            // The service checks the session first, so nothing was done.
            guard error.code == .signInRequired(.notAccepted) else { throw error }
            try await client.refresh(of: person)
            return try await attempt(person, work)
        }
    }

    private func attempt<Result: Sendable>(
        _ person: AccountID, _ work: @escaping @Sendable (ClerkService, inout AuthSession) async throws -> Result
    ) async throws(AuthError) -> Result {
        try await client.perform(as: person, at: provider.name, replay: .fixed) { [provider] principal, context in
            let (credential, session) = (principal.credential, principal.session)
            guard let token = credential.refreshToken else {
                throw NotSent(
                    provider.error(.configuration(.invalid), "The session has no client token to call with."))
            }
            var service = ClerkService(provider, context, token: token, of: credential)
            service.wording = { failure in
                var error = failure.error(isSigningIn: false)
                if case .signInRequired = error.code { error.code = .signInRequired(.notAccepted) }
                return error
            }
            var next = session
            let result: Result
            do { result = try await work(service, &next) } catch {
                service.carry()
                throw error
            }
            let sessions = credential.sessions.map { $0.id == next.id ? next : $0 }
            return (
                CredentialChange(
                    refreshToken: service.newToken,
                    sessions: next.state == session.state && next.label == session.label ? nil : sessions), result
            )
        }
    }

    /// Returns a path that contains an id from outside, after checking the id.
    func path(_ base: String, _ id: String, _ rest: String = "") throws(AuthError) -> String {
        let isPlain = id.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
        }
        guard isPlain, (1...128).contains(id.utf8.count) else {
            throw provider.error(.configuration(.invalid), "This is no id of the service.")
        }
        return "\(base)/\(id)\(rest)"
    }
}
