extension AuthClient {
    /// Signs in with `provider`; `presenter` answers what the service asks. The session is stored before this returns.
    ///
    /// Cancelling ends the conversation: what was not granted yet is given up.
    ///
    /// - Throws: ``AuthError``. A `store` code means that somebody is signed in, but the session could not be stored:
    ///   it lives in memory (``Account/isDurable``) and ends with the process.
    public func signIn(
        with provider: ProviderID, _ method: SignInMethod, options: SignInOptions = SignInOptions(),
        asking presenter: some ChallengePresenter
    ) async throws(AuthError) -> AuthSession {
        try await signingIn(provider, method.kind) { engine in
            try await engine.signIns.converse(provider, .signIn(method), options, presenter).signedIn(provider)
        }
    }

    /// Makes an account, or gets back into one; `presenter` answers what the service asks, as in
    /// ``signIn(with:_:options:asking:)``.
    ///
    /// - Returns: The session; or where the person goes on, as after a mail that leads to the service's own page.
    /// - Throws: ``AuthError``, as `signIn` does; `configuration(.unsupported)` where the provider's
    ///   ``ProviderRules/capabilities`` do not name it.
    public func converse(
        _ request: SignInRequest, with provider: ProviderID, options: SignInOptions = SignInOptions(),
        asking presenter: some ChallengePresenter
    ) async throws(AuthError) -> ConversationEnd {
        try await signingIn(provider, request.method?.kind) { engine in
            try await engine.signIns.converse(provider, request, options, presenter)
        }
    }

    /// Adds a way to sign in to an account that is signed in; `presenter` answers what the service asks.
    ///
    /// - Parameters:
    ///   - method: Which way: a method of the provider, also one that it does not sign in by.
    ///   - account: Whose; `nil`: the current account.
    ///   - options: As for a sign-in.
    ///   - presenter: Answers what the service asks.
    /// - Returns: The session, which may be a new one; or where the person goes on.
    /// - Throws: ``AuthError``, as `signIn` does; `configuration(.unsupported)` where the provider does not name
    ///   ``ProviderCapability/linking``.
    @discardableResult
    public func link(
        _ method: SignInMethod, account: AccountID? = nil, options: SignInOptions = SignInOptions(),
        asking presenter: some ChallengePresenter
    ) async throws(AuthError) -> ConversationEnd {
        let provider = try await provider(of: account)
        return try await signingIn(provider, method.kind) { engine in
            try await engine.signIns.converse(provider, .link(method, account: account), options, presenter)
        }
    }

    /// Has the person prove more than the session has, as a resource asks for (RFC 9470); `presenter` answers what the
    /// service asks.
    ///
    /// - Parameters:
    ///   - stepUp: What is wanted, such as ``TokenVerdict/insufficient(_:)`` brought it.
    ///   - account: Whose; `nil`: the current account.
    ///   - options: As for a sign-in.
    ///   - presenter: Answers what the service asks.
    /// - Throws: ``AuthError``, as `signIn` does; `configuration(.unsupported)` where the provider does not name
    ///   ``ProviderCapability/stepUp``.
    @discardableResult
    public func stepUp(
        _ stepUp: StepUp = StepUp(), account: AccountID? = nil, options: SignInOptions = SignInOptions(),
        asking presenter: some ChallengePresenter
    ) async throws(AuthError) -> AuthSession {
        let provider = try await provider(of: account)
        return try await signingIn(provider, nil) { engine in
            try await engine.signIns.converse(provider, .stepUp(stepUp, account: account), options, presenter)
                .signedIn(provider)
        }
    }

    private func provider(of account: AccountID?) async throws(AuthError) -> ProviderID {
        try await engine.reader.usableEntry(account).binding.provider
    }

    /// Signs in by a method that asks nothing, such as client credentials.
    ///
    /// - Throws: ``AuthError`` `configuration(.unsupported)` when the service asks something all the same.
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
        try await signingIn(provider, nil) { engine in try await engine.signIns.begin(request, provider, options) }
    }

    /// Answers a stored challenge; any process of the store may.
    ///
    /// - Parameters:
    ///   - answer: What the person, the browser or the app answers.
    ///   - challenge: The challenge's id.
    /// - Throws: ``AuthError`` `refused(.expired)` when no such challenge waits: it was answered, or is too old.
    public func answer(_ answer: Answer, to challenge: String) async throws(AuthError) -> SignInStep {
        try await signingIn(nil, nil) { engine in try await engine.signIns.answer(answer, to: challenge) }
    }

    /// Gives a stored challenge an answer that is perhaps another challenge's, as a link is that the app was opened with
    /// while several sign-ins wait: unlike ``answer(_:to:)``, it uses the challenge up only where the provider takes it.
    ///
    /// For providers whose redirects are bound by a proof key alone. A `state` is good once, also where its first use
    /// failed (RFC 9700, section 4.7.1), so an answer with one goes to ``answer(_:to:)``.
    ///
    /// - Parameters:
    ///   - answer: What the browser or the app brought.
    ///   - challenge: The challenge's id.
    /// - Throws: ``AuthError``; the challenge can be answered as before. `refused(.expired)` without a
    ///   ``AuthError/serviceCode`` when no such challenge waits: it was answered, or is too old.
    package func offer(_ answer: Answer, to challenge: String) async throws(AuthError) -> SignInStep {
        try await signingIn(nil, nil) { engine in try await engine.signIns.offer(answer, to: challenge) }
    }

    /// The stored challenges that can still be answered, the oldest first.
    public func pendingChallenges() async throws(AuthError) -> [Challenge] {
        try await signingIn(nil, nil) { engine in try await engine.signIns.pendingChallenges() }
    }

    private func signingIn<Value: Sendable>(
        _ provider: ProviderID?, _ kind: SignInMethod.Kind?, _ work: (Engine) async throws -> Value
    ) async throws(AuthError) -> Value {
        try await engine.gate.admit()
        try await engine.reader.restore()
        do {
            let value = try await work(engine)
            if let provider { engine.context.observer.observe(.signIn(provider, kind, failure: nil)) }
            return value
        } catch {
            let failure = AuthError(error, provider: provider)
            if let provider { engine.context.observer.observe(.signIn(provider, kind, failure: failure.code)) }
            throw failure
        }
    }
}

extension ConversationEnd {
    /// The session, which a sign-in always ends with.
    fileprivate func signedIn(_ provider: ProviderID) throws(AuthError) -> AuthSession {
        guard let session else { throw SignIns.endedWithoutSession(provider) }
        return session
    }
}

/// The presenter of methods that ask nothing.
private struct NobodyToAsk: ChallengePresenter {
    func answer(_ challenge: Challenge) async throws -> Answer {
        throw AuthError(
            .configuration(.unsupported), "The service asks something, and nobody is there to answer.",
            provider: challenge.binding.provider)
    }
}
