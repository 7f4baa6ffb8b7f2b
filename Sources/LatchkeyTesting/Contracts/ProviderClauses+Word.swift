import Latchkey

/// How a provider reacts to the person's wishes and the service's answers: declined, send again, wait, gone.
extension ProviderContract {
    func endedByDeclining(_ conversation: Conversation) async throws {
        guard conversation.endsByDeclining else { return }
        try await clauses.clause("a declined sign-in is over at the service") {
            let setting = try await make()
            _ = try await follow(conversation, in: setting) { turn in
                guard case .asked(let challenge) = turn else { return true }
                let answer = try await conversation.answered(challenge, clauses)
                _ = try? await setting.provider.answer(.declined, to: challenge, in: setting.context)
                let late = try? await setting.provider.answer(answer, to: challenge, in: setting.context)
                try expect(late == nil, "the right answer was taken afterwards")
                return true
            }
        }
    }

    func sentOnceMore(_ conversation: Conversation) async throws {
        try await clauses.clause("what is asked for once more is sent once more") {
            let setting = try await make()
            var context = try await context(of: conversation, in: setting)
            let counted = CountedRequests(context.transport)
            context.transport = counted
            var turn = try await setting.provider.begin(conversation.request, conversation.options, in: context)
            for _ in 1...32 {
                guard case .asked(let challenge) = turn else { return }
                var current = challenge
                if challenge.ask.isSent {
                    let before = counted.methods.count
                    do {
                        let next = try await setting.provider.answer(.resend, to: challenge, in: context)
                        try expect(counted.methods.count > before, "no request was sent, and no error thrown")
                        guard case .asked(let again) = next else { throw Broken("nothing is asked any more") }
                        try expect(challenge.resendAfter != nil, "another can be had, and no screen is told so")
                        current = again
                    } catch let broken as Broken {
                        throw broken
                    } catch {
                        // A provider that cannot send again says so, and a recording may not
                        // contain it. The check ends here.
                        return
                    }
                }
                let answer = try await conversation.answered(current, clauses)
                turn = try await setting.provider.answer(answer, to: current, in: context)
            }
        }
    }

    func onePerson() async throws {
        try await clauses.clause("one person has one account, however they sign in") {
            var accounts: [String: Set<AccountID>] = [:]
            for conversation in conversations {
                guard let person = conversation.person else { continue }
                let grant = try await follow(conversation, in: try await make())
                let session = grant?.sessions.first { $0.id == grant?.current }
                if let session { accounts[person, default: []].insert(session.account) }
            }
            try expect(accounts.values.allSatisfy { $0.count == 1 }, "there are two accounts")
        }
    }

    func lifetimes(_ setting: Setting, _ credential: Credential, _ want: TokenWant) async throws {
        try await clauses.clause("a token lasts from its receipt on, and neither no time nor for ever") {
            let clock = setting.context.world.clock
            let before = clock.now()
            let change = try await setting.provider.refresh(credential, for: want, in: setting.context)
            let new = change.minted.values.flatMap(\.values)
            for token in credential.sessions.flatMap(\.tokens.values) + new {
                guard let lifetime = token.lifetime else { continue }
                try expect(lifetime.lasts >= .seconds(1), "one lasts \(lifetime.lasts)")
                try expect(lifetime.lasts < Lifetime.longest, "one lasts ten years, the most that is believed")
            }
            for lifetime in new.compactMap(\.lifetime) where lifetime.boot == clock.boot {
                let isReceived = lifetime.receivedAt >= before && lifetime.receivedAt <= clock.now()
                try expect(isReceived, "one of the refresh was received at another time")
            }
        }
    }

    func waits(_ setting: Setting, _ credential: Credential, _ want: TokenWant) async throws {
        try await clauses.clause("a wait that the service asks for is told") {
            let answer = TransportResponse(status: 429, fields: ["Retry-After": "7"])
            let thrown = try await refreshError(setting, credential, want) { _ in answer }
            let error = (thrown as? NotSent)?.error ?? thrown as? AuthError
            try expect(error?.code == .rateLimited, "it threw \(Clauses.shown(thrown)) and not rateLimited")
            try expect(error?.retryAfter == .seconds(7), "of seven seconds it says nothing")
        }
    }

    /// A request that is lost, or answered with trouble, may have spent the credential. Sending it
    /// again may end the session.
    func sentOnce(_ setting: Setting, _ credential: Credential, _ want: TokenWant) async throws {
        try await clauses.clause("a refresh is one POST") {
            for status in [nil, 500, 503, 429] {
                let counted = CountedRequests(
                    SilentTransport { _ in
                        guard let status else { throw TransportError(.interrupted, wasSent: true) }
                        return TransportResponse(status: status)
                    }, most: 8)
                _ = try? await setting.provider.refresh(credential, for: want, in: setting.context(over: counted))
                let posts = counted.methods.count { $0 == "POST" }
                let what = status.map { "that is answered with \($0)" } ?? "whose answer is lost"
                try expect(posts <= 1, "one \(what) is sent again")
            }
        }
    }

    func revokedInVain(_ setting: Setting, _ credential: Credential, _ provider: any SessionRevoking) async throws {
        try await clauses.clause("a revocation that the service could not carry out throws") {
            for status in [429, 500, 503] {
                let context = setting.context(over: SilentTransport { _ in TransportResponse(status: status) })
                do { try await provider.revoke(Revocation(credential), in: context) } catch { continue }
                throw Broken("it returned at \(status), as if the service knew")
            }
        }
    }

    func revokedBefore(_ setting: Setting, _ credential: Credential, _ provider: any SessionRevoking) async throws {
        try await clauses.clause("a revocation of what is gone returns") {
            let counted = CountedRequests(setting.context.transport)
            do {
                try await provider.revoke(Revocation(credential), in: setting.context(over: counted))
            } catch {
                // A recording with one revocation has no answer to another.
                try expect(counted.answers < counted.methods.count, "it threw \(Clauses.shown(error))")
            }
        }
    }
}

extension Ask {
    /// Whether it was sent to the person and can be sent again.
    fileprivate var isSent: Bool {
        switch self {
        case .code, .openedLink: true
        default: false
        }
    }
}
