/// A transport that sends a request again when another one could not carry it, or the service was not there for it.
///
/// ```swift
/// .transport(Retrying(wrapping: .curl()))
/// ```
///
/// | What is sent again | What is not |
/// | --- | --- |
/// | GET, HEAD, OPTIONS, TRACE; PUT and DELETE without a precondition | POST, PATCH, any other method: may act twice |
/// | what says that it may be written twice | what says that it may not, or that it must not be repeated |
/// | 429, 502, 503, 504 | every other answer |
/// | `unreachable`, `interrupted`, `timedOut` before the deadline | `tls`, `tooLarge`, `invalidRequest` |
///
/// ``TransportRequest/mayBeWrittenTwice`` decides. By itself it is true for the idempotent methods of [RFC 9110, section
/// 9.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2). A PUT or DELETE with `If-Match`, `If-None-Match` or
/// `If-Unmodified-Since` is none of them here: where its first try was carried out, the second one's 412 would say
/// otherwise.
///
/// **A refresh is never repeated.** Whatever spends a credential is a POST, as token requests are by [RFC 6749, section
/// 3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2): only the engine knows whether a second one would end the
/// session.
///
/// The wait is random between nothing and a limit that doubles; where the service says `Retry-After`, in seconds or as
/// a date, it is that and the random wait on top. Everything happens within the caller's deadline: when the wait does
/// not fit, the tries are used up or the budget is empty, the last answer is returned as it is, or the last error
/// thrown, with `wasSent` true if any try may have arrived. Cancelling ends a wait at once. One try may take all of the
/// deadline: there is no limit for a single one.
public struct Retrying<Wrapped: HTTPTransport>: HTTPTransport {
    private let wrapped: Wrapped
    private let policy: RetryPolicy
    private let context: PluginContext
    private let budget: RetryBudget

    /// A transport around `wrapped`. Copies share one budget.
    ///
    /// - Parameters:
    ///   - wrapped: Carries each try.
    ///   - policy: How often, and after what wait.
    ///   - context: Time, randomness, and the observer that sees each ``AuthObservation/retry(method:origin:status:wait:)``;
    ///     the client itself sees one request, whatever the tries.
    public init(wrapping wrapped: Wrapped, policy: RetryPolicy = RetryPolicy(), context: PluginContext = .system) {
        self.wrapped = wrapped
        self.policy = policy
        self.context = context
        budget = RetryBudget(percent: policy.budgetPercent, reserve: policy.budgetReserve)
    }

    /// Sends the request, again where that is safe and may help.
    public func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        guard policy.attempts > 1, request.mayBeWrittenTwice else {
            return try await wrapped.send(request, deadline: deadline)
        }
        budget.noteRequest()
        let end = context.clock.now() + deadline
        var wasSent = false
        var attempt = 0
        while true {
            attempt += 1
            let result = await attemptOnce(request, within: end - context.clock.now())
            if case .success = result { wasSent = true }
            if case .failure(let error as TransportError) = result { wasSent = wasSent || error.wasSent }
            guard let wait = wait(after: result, attempt), context.clock.now() + wait < end, budget.take() else {
                return try Self.value(of: result, wasSent)
            }
            note(request, result, wait)
            try await context.clock.sleep(until: context.clock.now() + wait)
        }
    }

    private func attemptOnce(_ request: TransportRequest, within rest: Duration) async -> Result<
        TransportResponse, any Error
    > {
        do {
            return .success(try await wrapped.send(request, deadline: rest))
        } catch {
            return .failure(error)
        }
    }

    /// How long to wait before the next try; `nil`: there is none.
    private func wait(after result: Result<TransportResponse, any Error>, _ attempt: Int) -> Duration? {
        guard attempt < policy.attempts else { return nil }
        let random = random(below: policy.limit(after: attempt))
        switch result {
        case .success(let response):
            guard [429, 502, 503, 504].contains(response.status) else { return nil }
            return random + (RetryAfter.read(response.fields, now: context.clock.wall()) ?? .zero)
        case .failure(let error as TransportError):
            switch error.code {
            case .unreachable, .interrupted, .timedOut: return random
            case .tls, .tooLarge, .invalidRequest: return nil
            }
        case .failure:
            return nil
        }
    }

    /// Full jitter: anything between nothing and the limit, so that clients that failed together do not return so.
    private func random(below limit: Duration) -> Duration {
        let bits = context.random(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return limit * (Double(bits >> 11) * 0x1p-53)
    }

    private func note(_ request: TransportRequest, _ result: Result<TransportResponse, any Error>, _ wait: Duration) {
        let status: Int? = if case .success(let response) = result { response.status } else { nil }
        context.observer.observe(
            .retry(
                method: request.method, origin: WebAddress(request.url)?.origin ?? "", status: status, wait: wait))
    }

    private static func value(of result: Result<TransportResponse, any Error>, _ wasSent: Bool) throws
        -> TransportResponse
    {
        switch result {
        case .success(let response): return response
        case .failure(var error as TransportError):
            error.wasSent = wasSent
            throw error
        case .failure(let error): throw error
        }
    }
}
