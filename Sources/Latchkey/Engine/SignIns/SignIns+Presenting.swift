import FoundationEssentials

/// A conversation led by the engine: it polls, waits and times out; the presenter shows and collects.
extension SignIns {
    /// The most turns a conversation may take.
    private static let turnLimit = 64

    func converse(
        _ name: ProviderID, _ request: SignInRequest, _ options: SignInOptions, _ presenter: any ChallengePresenter
    ) async throws -> ConversationEnd {
        // Checked first, so that nothing opens for a sign-in that is not offered.
        let provider = try services.provider(named: name)
        try provider.rules.check(request)
        guard let receiver = presenter as? any RedirectReceiving, options.redirect == nil,
            let redirect = try await provider.rules.redirect(for: request, at: receiver)
        else { return try await turns(name, request, options, presenter) }
        var options = options
        options.redirect = redirect
        let end: Result<ConversationEnd, any Error>
        do { end = .success(try await turns(name, request, options, presenter)) } catch { end = .failure(error) }
        let told = end.mapError { AuthError(ofConversation: $0, provider: name) }
        await (receiver as? any RedirectConcluding)?.conclude(told)
        await receiver.closeRedirect()
        return try end.get()
    }

    private func turns(
        _ name: ProviderID, _ request: SignInRequest, _ options: SignInOptions, _ presenter: any ChallengePresenter
    ) async throws -> ConversationEnd {
        var step = try await begin(request, name, options)
        for _ in 0..<Self.turnLimit {
            switch step {
            case .signedIn(let session): return .signedIn(session)
            case .continuesElsewhere(let place):
                guard request.mayEndElsewhere else { throw Self.endedWithoutSession(name) }
                return .continuesElsewhere(place)
            case .asked(let challenge): step = try await present(challenge, presenter)
            }
        }
        throw AuthError(.untrusted(.malformed), "The service keeps asking without an end.", provider: name)
    }

    static func endedWithoutSession(_ name: ProviderID) -> AuthError {
        AuthError(
            .configuration(.invalid), "The provider ended a sign-in without a session, and without an error.",
            provider: name)
    }

    private func present(_ challenge: Challenge, _ presenter: any ChallengePresenter) async throws -> SignInStep {
        do {
            if case .device = challenge.ask { return try await poll(challenge, presenter) }
            return try await ask(challenge, presenter)
        } catch {
            // Whatever the error, nobody will answer this challenge any more. A task of its own drops it: a
            // cancelled one gets no lock of the store.
            if let open = services.exchanges.exchange(at: Self.key(challenge.id)), open.isSent {
                // The last answer may still bring the session: the provider is told nothing that could end it.
                services.context.start("abandon") { [self] in
                    _ = await open.end.landing()
                    try? await drop(Self.key(challenge.id), at: nil)
                }
                throw OpenExchanges.leavingAlone(AuthError(ofConversation: error, provider: challenge.binding.provider))
            }
            let dropped = Flight<Flight<Void>?>()
            services.context.start("abandon") { [self] in dropped.land(.success(await giveUp(challenge.id))) }
            if case .success(let told?) = await dropped.landing() { try? await told.value() }
            throw error
        }
    }

    private func ask(_ challenge: Challenge, _ presenter: any ChallengePresenter) async throws -> SignInStep {
        let deadline = try await deadline(ofChallenge: challenge.id)
        var resendAt = clock.now() + (challenge.resendAfter ?? .zero)
        var tries = 0
        while true {
            let answer = try await before(deadline, challenge) { try await presenter.answer(challenge) }
            if case .resend = answer {
                try await clock.sleep(until: resendAt)
                resendAt = clock.now() + (challenge.resendAfter ?? .zero)
            }
            do {
                return try await self.answer(answer, to: challenge.id)
            } catch let error as AuthError where error.code.isAboutInput && challenge.mayBeCorrected {
                tries += 1
                guard tries < 3 else { throw error }
                try await (presenter as? any RefusalShowing)?.show(error, of: challenge)
            } catch let error as AuthError {
                guard await mayComeAgain(challenge, presenter) else { throw error }
            }
        }
    }

    /// Whether another redirect may answer the challenge, after one that was refused.
    private func mayComeAgain(_ challenge: Challenge, _ presenter: any ChallengePresenter) async -> Bool {
        guard let receiver = presenter as? any RedirectReceiving else { return false }
        switch challenge.ask {
        case .visit, .openedLink: break
        default: return false
        }
        guard (try? await deadline(ofChallenge: challenge.id)) != nil else { return false }
        return await receiver.goesOnWaiting(for: challenge)
    }

    /// RFC 8628, section 3.4 and 3.5: asks the service in its interval, while the presenter shows the code.
    private func poll(_ challenge: Challenge, _ presenter: any ChallengePresenter) async throws -> SignInStep {
        let deadline = try await deadline(ofChallenge: challenge.id)
        return try await withThrowingTaskGroup(of: SignInStep?.self) { group in
            group.addTask {
                if case .declined = try await presenter.answer(challenge) {
                    throw AuthError(.declined, "The person declined.", provider: challenge.binding.provider)
                }
                return nil
            }
            group.addTask { [self] in
                var interval = challenge.pollInterval
                while true {
                    let next = clock.now() + interval
                    guard next < deadline else {
                        try await clock.sleep(until: deadline)
                        throw AuthError(
                            .refused(.expired), "The service has not said in time that the code was entered.",
                            provider: challenge.binding.provider)
                    }
                    try await clock.sleep(until: next)
                    switch try await answer(.poll, to: challenge.id) {
                    case .asked(let later) where later.id == challenge.id: interval = later.pollInterval
                    case let step: return step
                    }
                }
            }
            defer { group.cancelAll() }
            while let step = try await group.next() {
                if let step { return step }
            }
            throw CancellationError()
        }
    }

    /// The answer of `work`, if it comes before the challenge ends.
    private func before(
        _ deadline: MonotonicInstant, _ challenge: Challenge, _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        if let answer = try await clock.value(before: deadline, of: work) { return answer }
        throw AuthError(
            .refused(.expired), "The challenge was not answered in time.", provider: challenge.binding.provider)
    }
}

extension SignInRequest {
    /// The way to sign in that it names.
    var method: SignInMethod? {
        switch self {
        case .signIn(let method), .link(let method, _): method
        case .signUp, .recover, .stepUp: nil
        }
    }

    /// What it asks of a person who is signed in; `nil` for a sign-in.
    var proof: AuthObservation.FurtherProof? {
        switch self {
        case .signIn, .signUp, .recover: nil
        case .link: .link
        case .stepUp: .stepUp
        }
    }

    /// Whether the conversation may end without a session.
    var mayEndElsewhere: Bool {
        switch self {
        case .signIn, .stepUp: false
        case .signUp, .recover, .link: true
        }
    }
}

extension ProviderRules {
    /// Opens an address for what the service may send back; `nil` if the request needs none. Where one may only turn out to
    /// be needed, the conversation goes on without it if none can be opened.
    fileprivate func redirect(
        for request: SignInRequest, at receiver: any RedirectReceiving
    ) async throws -> String? {
        if returnsByRedirect(request) { return try await receiver.openRedirect() }
        switch request {
        case .signIn, .signUp: return leadsElsewhere ? try? await receiver.openRedirect() : nil
        case .recover, .link, .stepUp: return nil
        }
    }

    /// Whether the service may send a browser back for the request.
    func returnsByRedirect(_ request: SignInRequest) -> Bool {
        switch request {
        case .signUp, .recover: false
        case .stepUp: methods.contains(.browser)
        case .signIn(.custom(let name, _)), .link(.custom(let name, _), _):
            customMethods.contains { $0.name == name && $0.returnsByRedirect }
        case .signIn(let method), .link(let method, _): method.returnsByRedirect
        }
    }
}

extension SignInMethod {
    /// Whether the service sends a browser back.
    var returnsByRedirect: Bool {
        switch self {
        case .browser, .enterprise, .link: true
        default: false
        }
    }
}

extension Challenge {
    /// How long to wait between two polls: 1 second at least, 5 minutes at most.
    var pollInterval: Duration {
        guard case .device(let device) = ask else { return .seconds(5) }
        return min(max(device.interval, .seconds(1)), .seconds(300))
    }
}
