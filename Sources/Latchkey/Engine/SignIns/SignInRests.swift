import LatchkeySystem

/// The pauses that services have demanded in conversations. Until one is over, the same request is not sent again.
///
/// A service may count by person, by address of the sender or by kind of request, and does not say which. So a pause
/// holds for the same request about the same person: someone who corrects a mistyped address need not wait.
final class SignInRests: Sendable {
    /// The requests that are alike for a service.
    enum Request: Hashable, Sendable {
        case begin(ProviderID, purpose: Int, SignInMethod.Kind?, identifier: String?)
        case answer(challenge: String)
        case resend(challenge: String)
    }

    /// The most pauses that are remembered. Of more, those that end first are forgotten.
    static let most = 256

    private let rests = Locked<[Request: MonotonicInstant]>([:])

    /// Throws if the service has asked to wait with `request`, and the time is not over.
    func check(_ request: Request, at now: MonotonicInstant, of provider: ProviderID?) throws(AuthError) {
        let until = rests.withLock { rests -> MonotonicInstant? in
            guard let until = rests[request] else { return nil }
            if until <= now { rests[request] = nil }
            return until
        }
        guard let until, until > now else { return }
        throw AuthError(
            .rateLimited, "The service asked to wait before this is sent again, so nothing was sent.",
            provider: provider, retryAfter: until - now)
    }

    /// Notes the pause that `error` demands for `request`.
    func note(_ error: any Error, for request: Request, at now: MonotonicInstant) {
        guard let error = error as? AuthError, error.code == .rateLimited, let wait = error.retryAfter, wait > .zero
        else { return }
        rests.withLock { rests in
            rests[request] = now + min(wait, RetryAfter.longest)
            guard rests.count > Self.most else { return }
            rests = rests.filter { $0.value > now }
            while rests.count > Self.most, let first = rests.min(by: { $0.value < $1.value }) {
                rests[first.key] = nil
            }
        }
    }

    /// Runs `work`, which sends `request`, unless the service has asked to wait with it.
    func during<Value: Sendable>(
        _ request: Request, of provider: ProviderID?, _ clock: any AuthClock, _ work: () async throws -> Value
    ) async throws -> Value {
        try check(request, at: clock.now(), of: provider)
        do {
            return try await work()
        } catch {
            note(error, for: request, at: clock.now())
            throw error
        }
    }
}

extension SignInRests.Request {
    init(_ request: SignInRequest, of provider: ProviderID) {
        switch request {
        case .signIn(let method): self = .begin(provider, purpose: 0, method.kind, identifier: method.identifier)
        case .link(let method, _): self = .begin(provider, purpose: 1, method.kind, identifier: method.identifier)
        case .signUp(let form): self = .begin(provider, purpose: 2, nil, identifier: form.identifier)
        case .recover(let identifier): self = .begin(provider, purpose: 3, nil, identifier: identifier)
        case .stepUp(_, let account): self = .begin(provider, purpose: 4, nil, identifier: account?.value)
        }
    }

    init(_ answer: Answer, to challenge: String) {
        if case .resend = answer { self = .resend(challenge: challenge) } else { self = .answer(challenge: challenge) }
    }
}

extension SignInMethod {
    /// Whom the method names, if it names somebody.
    fileprivate var identifier: String? {
        switch self {
        case .password(let identifier, _), .code(let identifier, _), .link(let identifier): identifier
        case .enterprise(let domain): domain
        case .browser(let connection): connection
        case .custom(let name, _): name
        default: nil
        }
    }
}
