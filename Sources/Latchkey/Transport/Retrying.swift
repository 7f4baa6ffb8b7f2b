/// A transport that sends a request again if the wrapped one could not deliver it or the service was unavailable.
///
/// ```swift
/// .transport(Retrying(wrapping: .curl()))
/// ```
///
/// | Sent again | Not sent again |
/// | --- | --- |
/// | GET, HEAD, OPTIONS, TRACE; PUT and DELETE without a precondition | POST, PATCH, any other method: may act twice |
/// | requests that allow being written twice | requests that do not allow it, or that must not be repeated |
/// | 429, 502, 503, 504 | every other answer |
/// | `unreachable`, `interrupted`, `timedOut` before the deadline | `tls`, `tooLarge`, `invalidRequest`, `libraryMissing` |
///
/// ``TransportRequest/mayBeWrittenTwice`` decides. Its default is true for the idempotent methods
/// of [RFC 9110, section 9.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2), except a PUT
/// or DELETE with `If-Match`, `If-None-Match` or `If-Unmodified-Since`: if the first try succeeded,
/// the second one's 412 would say the opposite.
///
/// **A refresh is never repeated.** Every request that spends a credential is a POST, as [RFC 6749,
/// section 3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2) requires of token requests.
/// Only the engine knows whether a second one would end the session.
///
/// The wait is random, between zero and a limit that doubles. If the service sends `Retry-After`,
/// in seconds or as a date, the random wait is added to that. Everything happens within the
/// caller's deadline. If the wait does not fit, the tries are used up or the budget is empty, the
/// last answer is returned as it is, or the last error is thrown, with `wasSent` true if any try
/// may have arrived. Cancelling ends a wait immediately. One try may take the whole deadline; there
/// is no separate limit per try.
public struct Retrying<Wrapped: HTTPTransport>: HTTPTransport {
    private let wrapped: Wrapped
    private let policy: RetryPolicy
    private let context: PluginContext
    private let budget: RetryBudget

    /// Creates a transport around `wrapped`. Copies share one budget.
    ///
    /// - Parameters:
    ///   - wrapped: Sends each try.
    ///   - policy: How often, and after which waits.
    ///   - context: Time, randomness, and the observer of each
    ///     ``AuthObservation/retry(method:origin:status:wait:)``. The client itself sees one
    ///     request, however many tries there were.
    public init(wrapping wrapped: Wrapped, policy: RetryPolicy = RetryPolicy(), context: PluginContext = .system) {
        self.wrapped = wrapped
        self.policy = policy
        self.context = context
        budget = RetryBudget(percent: policy.budgetPercent, reserve: policy.budgetReserve)
    }

    /// Sends the request, and sends it again if that is safe and may help.
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

    /// Returns how long to wait before the next try; `nil` if there is none.
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
            case .tls, .pinMismatch, .tooLarge, .invalidRequest, .libraryMissing: return nil
            }
        case .failure:
            return nil
        }
    }

    /// Full jitter: anything between zero and the limit, so that clients that failed together do
    /// not come back together.
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

extension Retrying: TrustNaming where Wrapped: TrustNaming {
    /// What the wrapped transport says.
    public var trust: String { wrapped.trust }
}
