import Latchkey
import LatchkeyJSON
import LatchkeySystem

/// What a provider makes of answers that come in the middle of a sign-in, at each of its steps.
extension ProviderContract {
    func steps(_ conversation: Conversation) async throws {
        try await clauses.clause("an answer without the service's word is no refusal of what was typed") {
            for status in [400, 401, 403, 404, 409, 429, 500, 502, 503, 504] {
                for body in [
                    "", "<html><body>Forbidden</body></html>", "{}", #"{"error":"server_error"}"#, "invalid_grant",
                ] {
                    let answer = TransportResponse(status: status, body: Array(body.utf8))
                    let what = "\(status) with \(body.isEmpty ? "no content" : body)"
                    try await eachStep(conversation, answer: { answer }) { step in
                        guard let error = step.error else { throw Broken("\(what) is taken for a success") }
                        try expect(!error.isAboutPerson, "\(what) is taken for \(Clauses.shown(error))")
                    }
                }
            }
        }
        try await clauses.clause("a sign-in whose answer is lost is sent once, and is no refusal") {
            for code in [TransportError.Code.timedOut, .interrupted] {
                try await eachStep(conversation, answer: { throw TransportError(code, wasSent: true) }) { step in
                    try expect(step.posts <= 1, "it is sent again")
                    guard let error = step.error else { throw Broken("it is taken for a success") }
                    try expect(!error.isAboutPerson, "it is taken for \(Clauses.shown(error))")
                }
            }
        }
        try await clauses.clause("a sign-in that does not reach the service says so") {
            try await eachStep(
                conversation, answer: { throw TransportError(.unreachable, wasSent: false) }
            ) { step in
                guard let error = step.error else { throw Broken("it is taken for a success") }
                let code = ((error as? NotSent)?.error ?? error as? AuthError ?? (error as? StillOpen)?.error)?.code
                let isOffline = if case .offline? = code { true } else { error is TransportError }
                try expect(isOffline, "it threw \(Clauses.shown(error))")
            }
        }
        try await clauses.clause("a wait that the service asks for at a sign-in is told") {
            let answer = TransportResponse(status: 429, fields: ["Retry-After": "7"])
            try await eachStep(conversation, answer: { answer }) { step in
                let error = step.error.flatMap {
                    ($0 as? NotSent)?.error ?? ($0 as? StillOpen)?.error ?? $0 as? AuthError
                }
                try expect(error?.code == .rateLimited, "it threw \(step.error.map(Clauses.shown) ?? "nothing")")
                try expect(error?.retryAfter == .seconds(7), "of seven seconds it says nothing")
            }
        }
        try await clauses.clause("the refusals of a sign-in that the author names are told as what they are") {
            for refusal in refusedSignIns where refusal.isAbout(conversation.request) {
                try await eachStep(conversation, answer: { refusal.answer }) { step in
                    let error = step.error.flatMap {
                        ($0 as? NotSent)?.error ?? ($0 as? StillOpen)?.error ?? $0 as? AuthError
                    }
                    let shown = error?.code.name ?? step.error.map(Clauses.shown) ?? "nothing"
                    try expect(
                        error?.code == refusal.code, "\(refusal.answer.status) is \(shown) and not \(refusal.code.name)"
                    )
                }
            }
        }
    }

    /// Takes each step of a conversation twice: over the service, and before that over a transport that gives `answer` to
    /// each request. `check` gets how the second one ended, if it sent a POST.
    private func eachStep(
        _ conversation: Conversation, answer: @escaping @Sendable () throws -> TransportResponse,
        _ check: (FailedStep) throws -> Void
    ) async throws {
        let setting = try await make()
        let context = try await context(of: conversation, in: setting)
        func attempt(_ call: (ProviderContext) async throws -> Turn) async throws {
            let counted = CountedRequests(SilentTransport { _ in try answer() }, most: 8)
            var step = FailedStep()
            var silent = context.anew(over: counted)
            // What the provider waits for before it asks again takes no time.
            silent.world.clock = JumpingClock(context.world.clock)
            do { _ = try await call(silent) } catch { step.error = error }
            step.posts = counted.methods.count { $0 == "POST" }
            if step.posts > 0 { try check(step) }
        }
        // The first turn is the service's own: it may look up documents, which later steps then have.
        var turn = try await clauses.step(of: Self.signingInClause) {
            try await setting.provider.begin(conversation.request, conversation.options, in: context)
        }
        try await attempt { try await setting.provider.begin(conversation.request, conversation.options, in: $0) }
        for _ in 1...32 {
            guard case .asked(let challenge) = turn else { return }
            let answer = try await conversation.answered(challenge, clauses)
            // To a question that repeats itself, trouble may mean that nothing is decided yet.
            if case .poll = answer {
            } else {
                try await attempt { try await setting.provider.answer(answer, to: challenge, in: $0) }
            }
            turn = try await clauses.step(of: Self.signingInClause) {
                try await setting.provider.answer(answer, to: challenge, in: context)
            }
        }
    }

    func onceMoreAfterAll(_ conversation: Conversation) async throws {
        try await clauses.clause("after a wrong answer the right one still signs in") {
            let setting = try await make()
            var context = try await context(of: conversation, in: setting)
            let counted = CountedRequests(context.transport)
            context.transport = counted
            var turn = try await setting.provider.begin(conversation.request, conversation.options, in: context)
            for _ in 1...32 {
                guard case .asked(let challenge) = turn else { return }
                if let wrong = try await conversation.erred(challenge, clauses), !challenge.ask.isVisit {
                    _ = try? await setting.provider.answer(wrong, to: challenge, in: context)
                }
                let right = try await conversation.answered(challenge, clauses)
                do { turn = try await setting.provider.answer(right, to: challenge, in: context) } catch {
                    // A recording may not contain it.
                    if counted.answers < counted.methods.count { return }
                    throw error
                }
            }
        }
        try await clauses.clause("another process can answer a challenge") {
            let setting = try await make()
            let other = if let other = setting.other { other } else { try await make().provider }
            let seen = SentTexts(setting.context.transport)
            var context = try await context(of: conversation, in: setting).anew(over: seen)
            var turn = try await setting.provider.begin(conversation.request, conversation.options, in: context)
            for _ in 1...32 {
                guard case .asked(var challenge) = turn else { return }
                let answer = try await conversation.answered(challenge, clauses)
                // All that the other process has is what was stored.
                challenge.state = try JSON.parse(challenge.state.serialized())
                context.cache = KeepingCache()
                turn = try await other.answer(answer, to: challenge, in: context)
            }
        }
    }
}

/// How a step ended that the service did not really answer.
private struct FailedStep {
    var error: (any Error)?
    var posts = 0
}

extension Error {
    /// Whether it tells a person that what they typed or decided is the reason.
    fileprivate var isAboutPerson: Bool {
        let error = (self as? NotSent)?.error ?? (self as? StillOpen)?.error ?? self as? AuthError
        switch error?.code {
        case .refused, .declined, .signInRequired, .cancelled: return true
        default: return self is Refusal
        }
    }
}

extension Ask {
    /// Whether it ends with an address.
    fileprivate var isVisit: Bool {
        switch self {
        case .visit, .openedLink: true
        default: false
        }
    }
}
