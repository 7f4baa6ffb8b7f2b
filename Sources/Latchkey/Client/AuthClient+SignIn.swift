extension AuthClient {
    /// Signs in with `provider`; `presenter` answers what the service asks. The session is stored
    /// before this returns.
    ///
    /// If the task is cancelled, the call ends at once. What has not been sent is given up; an answer that is under way
    /// is still awaited, and the session that it brings is stored (``AuthEvent/signedIn(_:)``). The error says which:
    /// ``AuthError/mayStillSucceed``.
    ///
    /// - Throws: ``AuthError``. A `store` code means that the person is signed in but the session
    ///   could not be stored: it lives in memory (``Account/isDurable``) and ends with the process.
    public func signIn(
        with provider: ProviderID, _ method: SignInMethod, options: SignInOptions = SignInOptions(),
        asking presenter: some ChallengePresenter
    ) async throws(AuthError) -> AuthSession {
        try await signingIn(provider, .signIn(method)) { engine in
            try await engine.signIns.converse(provider, .signIn(method), options, presenter).signedIn(provider)
        }
    }

    /// Creates an account or recovers one; `presenter` answers what the service asks, as in
    /// ``signIn(with:_:options:asking:)``.
    ///
    /// - Returns: The session, or where the person continues, for example in a mail that leads to
    ///   the service's own page.
    /// - Throws: ``AuthError``, as `signIn` does; `configuration(.unsupported)` if the provider's
    ///   ``ProviderRules/capabilities`` do not include the request.
    public func converse(
        _ request: SignInRequest, with provider: ProviderID, options: SignInOptions = SignInOptions(),
        asking presenter: some ChallengePresenter
    ) async throws(AuthError) -> ConversationEnd {
        try await signingIn(provider, request) { engine in
            try await engine.signIns.converse(provider, request, options, presenter)
        }
    }

    /// Adds a way to sign in to an account that is signed in; `presenter` answers what the service asks.
    ///
    /// - Parameters:
    ///   - method: The method to add. It may be one that the provider accepts for linking only.
    ///   - account: The account to add it to; `nil` means the current one.
    ///   - options: As for a sign-in.
    ///   - presenter: Answers what the service asks.
    /// - Returns: The session, which may be a new one, or where the person continues.
    /// - Throws: ``AuthError``, as `signIn` does; `configuration(.unsupported)` if the provider
    ///   does not have ``ProviderCapability/linking``.
    @discardableResult
    public func link(
        _ method: SignInMethod, account: AccountID? = nil, options: SignInOptions = SignInOptions(),
        asking presenter: some ChallengePresenter
    ) async throws(AuthError) -> ConversationEnd {
        let provider = try await provider(of: account)
        let request = SignInRequest.link(method, account: account)
        return try await signingIn(provider, request) { engine in
            try await engine.signIns.converse(provider, request, options, presenter)
        }
    }

    /// Asks the person for a stronger proof than the session has, because a resource demands it
    /// (RFC 9470); `presenter` answers what the service asks.
    ///
    /// - Parameters:
    ///   - stepUp: What the resource demands, for example from ``TokenVerdict/insufficient(_:)``.
    ///   - account: The account to step up; `nil` means the current one.
    ///   - options: As for a sign-in.
    ///   - presenter: Answers what the service asks.
    /// - Throws: ``AuthError``, as `signIn` does; `configuration(.unsupported)` if the provider
    ///   does not have ``ProviderCapability/stepUp``.
    @discardableResult
    public func stepUp(
        _ stepUp: StepUp = StepUp(), account: AccountID? = nil, options: SignInOptions = SignInOptions(),
        asking presenter: some ChallengePresenter
    ) async throws(AuthError) -> AuthSession {
        let provider = try await provider(of: account)
        let request = SignInRequest.stepUp(stepUp, account: account)
        return try await signingIn(provider, request) { engine in
            try await engine.signIns.converse(provider, request, options, presenter).signedIn(provider)
        }
    }

    private func provider(of account: AccountID?) async throws(AuthError) -> ProviderID {
        try await engine.reader.usableEntry(account).binding.provider
    }

    /// Signs in with a method that asks nothing, such as client credentials.
    ///
    /// - Throws: ``AuthError`` `configuration(.unsupported)` if the service asks something anyway.
    public func signIn(
        with provider: ProviderID, _ method: SignInMethod, options: SignInOptions = SignInOptions()
    ) async throws(AuthError) -> AuthSession {
        try await signIn(with: provider, method, options: options, asking: NobodyToAsk())
    }

    /// Starts a conversation whose challenges the app answers itself, perhaps in another process.
    ///
    /// - Returns: A session, or a stored challenge for ``answer(_:to:)``.
    public func begin(
        _ request: SignInRequest, with provider: ProviderID, options: SignInOptions = SignInOptions()
    ) async throws(AuthError) -> SignInStep {
        try await whileOpen { engine throws(AuthError) in
            let attempt = engine.attempts.attempt(provider, request)
            do {
                let step = try await engine.signIns.begin(request, provider, options)
                engine.attempts.note(step, of: attempt)
                return step
            } catch {
                let failure = AuthError(ofConversation: error, provider: provider)
                engine.attempts.tellEnd(of: attempt, failure: failure.code)
                throw failure
            }
        }
    }

    /// Answers a stored challenge. Any process that uses the store can call it.
    ///
    /// - Parameters:
    ///   - answer: The answer from the person, the browser or the app.
    ///   - challenge: The challenge's ID.
    /// - Throws: ``AuthError`` `refused(.expired)` if no such challenge is waiting: it was
    ///   answered, or it is too old.
    public func answer(_ answer: Answer, to challenge: String) async throws(AuthError) -> SignInStep {
        try await answering(challenge) { engine in try await engine.signIns.answer(answer, to: challenge) }
    }

    /// Offers an answer to a challenge that it may not belong to. For example, several sign-ins
    /// wait and a link opens the app. Unlike ``answer(_:to:)``, this uses up the challenge only if
    /// the provider accepts the answer.
    ///
    /// For providers whose redirects are bound by a proof key alone. A `state` may be used once,
    /// even if that use failed (RFC 9700, section 4.7.1), so an answer with a `state` goes to
    /// ``answer(_:to:)``.
    ///
    /// - Parameters:
    ///   - answer: What the browser or the app received.
    ///   - challenge: The challenge's ID.
    /// - Throws: ``AuthError``; the challenge can still be answered. `refused(.expired)` without a
    ///   ``AuthError/serviceCode`` if no such challenge is waiting: it was answered, or it is too old.
    package func offer(_ answer: Answer, to challenge: String) async throws(AuthError) -> SignInStep {
        try await answering(challenge) { engine in try await engine.signIns.offer(answer, to: challenge) }
    }

    /// Returns the stored challenges that can still be answered, the oldest first.
    public func pendingChallenges() async throws(AuthError) -> [Challenge] {
        try await whileOpen { engine throws(AuthError) in
            do { return try await engine.signIns.pendingChallenges() } catch { throw AuthError(error) }
        }
    }

    /// Runs `work` once the gate is open and the store has been read.
    private func whileOpen<Value: Sendable>(
        _ work: (Engine) async throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        try await engine.gate.requireOpen()
        try await engine.reader.restore()
        return try await work(engine)
    }

    /// Runs a whole sign-in, and tells how it ended.
    private func signingIn<Value: Sendable>(
        _ provider: ProviderID, _ request: SignInRequest, _ work: (Engine) async throws -> Value
    ) async throws(AuthError) -> Value {
        try await whileOpen { engine throws(AuthError) in
            let attempt = engine.attempts.attempt(provider, request)
            do {
                let value = try await work(engine)
                engine.attempts.tellEnd(of: attempt, failure: nil)
                return value
            } catch {
                let failure = AuthError(ofConversation: error, provider: provider)
                engine.attempts.tellEnd(of: attempt, failure: failure.code)
                throw failure
            }
        }
    }

    /// Runs one step of a sign-in that waits for an answer to `challenge`, and tells if it ends with it.
    private func answering(
        _ challenge: String, _ work: (Engine) async throws -> SignInStep
    ) async throws(AuthError) -> SignInStep {
        try await whileOpen { engine throws(AuthError) in
            let attempt = engine.attempts.attempt(waitingFor: challenge)
            do {
                let step = try await work(engine)
                if let attempt { engine.attempts.note(step, of: attempt, answering: challenge) }
                return step
            } catch {
                let failure = AuthError(ofConversation: error, provider: nil)
                if let attempt { engine.attempts.note(failure.code, of: attempt, answering: challenge) }
                throw failure
            }
        }
    }
}

extension ConversationEnd {
    /// Returns the session that a sign-in always ends with.
    fileprivate func signedIn(_ provider: ProviderID) throws(AuthError) -> AuthSession {
        guard let session else { throw SignIns.endedWithoutSession(provider) }
        return session
    }
}

/// The presenter for methods that ask nothing.
private struct NobodyToAsk: ChallengePresenter {
    func answer(_ challenge: Challenge) async throws -> Answer {
        throw AuthError(
            .configuration(.unsupported), "The service asks something, and nobody is there to answer.",
            provider: challenge.binding.provider)
    }
}
