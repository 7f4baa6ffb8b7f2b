import Latchkey
import LatchkeyJSON
import LatchkeySystem

/// How a provider treats a person who makes mistakes, an address that belongs to a stranger, and a
/// caller who has gone.
extension ProviderContract {
    func twice(_ conversation: Conversation) async throws {
        try await clauses.clause("signing in twice gives the same account, and other challenges") {
            let setting = try await make()
            let (provider, context) = (setting.provider, try await context(of: conversation, in: setting))
            let first = try await provider.begin(conversation.request, conversation.options, in: context)
            // A recording may contain only one sign-in; the second one then gets another setting.
            if case .asked(let one) = first,
                case .asked(let other)? = try? await provider.begin(
                    conversation.request, conversation.options, in: context)
            {
                try expect(one.id != other.id, "both challenges have one id")
            }
            if case .signIn(.anonymous) = conversation.request { return }
            if conversation.isFresh { return }
            let same = try await make()
            let former = try await follow(conversation, in: same)
            let latter: Grant?
            do { latter = try await follow(conversation, in: same) } catch {
                latter = try await follow(conversation, in: try await make())
            }
            let accounts = [former, latter].compactMap { grant in
                grant?.sessions.first { $0.id == grant?.current }?.account
            }
            try expect(Set(accounts).count < 2, "there are two accounts")
        }
    }

    func wrongAnswers(_ conversation: Conversation) async throws {
        try await clauses.clause("a wrong answer signs nobody in, and is refused as one") {
            let setting = try await make()
            _ = try await follow(conversation, in: setting) { turn in
                guard case .asked(let challenge) = turn, let wrong = try await conversation.erred(challenge, clauses)
                else {
                    return false
                }
                // Nobody knows whose an address is. A code or a password came from the person, who may try again.
                let isAddress = if case .redirected = wrong { true } else { false }
                let isRefused = { (code: AuthError.Code) in if case .refused = code { true } else { isAddress } }
                do {
                    let next = try await setting.provider.answer(wrong, to: challenge, in: setting.context)
                    if case .signedIn = next { throw Broken("it comes to a grant") }
                } catch let error as AuthError {
                    try expect(isRefused(error.code), "it threw \(error.code.name)")
                } catch let open as StillOpen {
                    try expect(isRefused(open.error.code), "it threw \(open.error.code.name)")
                }
                return true
            }
        }
    }

    func foreignRedirects(_ conversation: Conversation) async throws {
        try await clauses.clause("an address that was not asked for is an error, and nothing is sent") {
            let setting = try await make()
            _ = try await follow(conversation, in: setting) { turn in
                guard case .asked(let challenge) = turn, case .visit(_, let redirect) = challenge.ask else {
                    return false
                }
                // What the service really sends, brought by a stranger: everything but the address is right.
                var query = "code=contract&state=contract"
                if case .redirected(let own) = try await conversation.answered(challenge, clauses),
                    let mark = own.revealText().firstIndex(of: "?")
                {
                    query = String(own.revealText()[mark...].dropFirst())
                }
                for address in ["https://elsewhere.example", "evil://callback", redirect + ".elsewhere.example/x"] {
                    let silent = SilentTransport()
                    let answer = Answer.redirected(Secret("\(address)?\(query)"))
                    try await expectError("an AuthError", where: { _ in true }) {
                        _ = try await setting.provider.answer(answer, to: challenge, in: setting.context(over: silent))
                    }
                    try expect(silent.count == 0, "a request was sent")
                }
                return true
            }
        }
    }

    func keepingSecrets(_ conversation: Conversation) async throws {
        try await clauses.clause("a challenge keeps nothing that was typed") {
            let typed = Locked<[Secret]>([])
            _ = try await follow(conversation.noting(typed), in: try await make()) { turn in
                guard case .asked(let challenge) = turn else { return false }
                let kept = String(decoding: challenge.state.serialized(), as: UTF8.self)
                for secret in typed.withLock({ $0 }) where secret.count >= 8 {
                    try expect(!kept.contains(secret.revealText()), "its state holds one, and is stored")
                }
                return false
            }
        }
        try await clauses.clause("errors print neither what was typed nor a token") {
            let setting = try await make()
            let typed = Locked<[Secret]>([])
            do {
                var context = try await context(of: conversation, in: setting)
                context.transport = SilentTransport { ForeignBodies.echo($0) }
                _ = try await setting.provider.begin(
                    conversation.noting(typed).request, conversation.options, in: context)
            } catch {
                for secret in typed.withLock({ $0 }) where secret.count >= 8 {
                    try expect(!Printed.shows(secret, in: error), "that of a sign-in prints one")
                }
            }
        }
    }

    func cancelling(_ conversation: Conversation) async throws {
        try await clauses.clause("a call that is cancelled ends, and says nothing of the service") {
            let setting = try await make()
            let principal = try await context(of: conversation, in: setting).principal
            try await cancelled(setting) { provider, context in
                var context = context
                context.principal = principal
                _ = try await provider.begin(conversation.request, conversation.options, in: context)
            }
            _ = try await follow(conversation, in: setting) { turn in
                guard case .asked(let challenge) = turn else { return false }
                let answer = try await conversation.answered(challenge, clauses)
                try await cancelled(setting) { provider, context in
                    _ = try await provider.answer(answer, to: challenge, in: context)
                }
                return true
            }
            guard let (live, credential, want) = try await refreshable(conversation) else { return }
            try await cancelled(live) { provider, context in
                _ = try await provider.refresh(credential, for: want, in: context)
            }
            guard let revoking = live.provider as? any SessionRevoking else { return }
            try await cancelled(live) { _, context in try await revoking.revoke(Revocation(credential), in: context) }
        }
    }

    /// Cancels the call once it waits for the service. A call that asks no service may finish.
    private func cancelled(
        _ setting: Setting, _ call: @escaping @Sendable (Provider, ProviderContext) async throws -> Void
    ) async throws {
        let service = DeafTransport()
        let context = setting.context(over: service)
        let task = Task {
            defer { service.moved.add() }
            try await call(setting.provider, context)
        }
        try await service.moved.wait(for: 1)
        task.cancel()
        do {
            try await task.value
        } catch let refusal as Refusal {
            throw Broken("it threw a \(refusal)")
        } catch {
            try expect(service.count < 2, "it asked again")
            return
        }
        try expect(service.count == 0, "it came to an end as if it had been answered")
    }
}

/// Never answers.
private final class DeafTransport: HTTPTransport {
    /// Counts the requests and the end of the call.
    let moved = Tally()
    private let sent = Tally()
    private let never = Latch()

    var count: Int { sent.count }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        sent.add()
        moved.add()
        try await never.wait()
        throw TransportError(.timedOut, wasSent: true)
    }
}
