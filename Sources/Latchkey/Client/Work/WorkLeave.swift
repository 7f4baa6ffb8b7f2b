/// Leave for one piece of work. It comes from ``WorkLeaves``.
public struct WorkLeave: Sendable {
    /// Who is signed in. Work that was queued for somebody else must wait for them: use
    /// ``AuthClient/whenSignedIn(as:)``.
    public let account: AccountID
    let engine: Engine

    /// Runs one piece of work and notes how it went, for all workers of the account.
    ///
    /// | `work` throws | The outcome |
    /// | --- | --- |
    /// | ``AuthError``, ``TransportError``, ``WorkPostponed`` | ``WorkOutcome/later(_:)`` |
    /// | any other error | ``WorkOutcome/refused(_:)`` |
    public func run<Value: Sendable>(
        _ work: @Sendable () async throws -> Value
    ) async -> WorkOutcome<Value> {
        do {
            let value = try await work()
            engine.workRests.end(account, at: engine.clock.now())
            return .done(value)
        } catch is CancellationError {
            return .later(CancellationError())
        } catch {
            guard let after = Self.pause(error) else { return .refused(error) }
            let pause = { [engine] failures in Backoff.brief.pause(after: failures, jitter: engine.context.jitter) }
            engine.workRests.begin(account, at: engine.clock.now(), after: after, pause)
            return .later(error)
        }
    }

    /// Sends one request with the account's token and judges the answer.
    ///
    /// | Status | The outcome |
    /// | --- | --- |
    /// | 200 to 399 | ``WorkOutcome/done(_:)`` |
    /// | 401, 408, 425, 429 and from 500 on | ``WorkOutcome/later(_:)``, not before `Retry-After` |
    /// | any other | ``WorkOutcome/refused(_:)`` with ``WorkRefused``: sending it again would not help |
    ///
    /// If an answer is lost, the request may have arrived, and is sent again. Give it an identifier by
    /// which the service recognises it, such as an `Idempotency-Key` field.
    ///
    /// - Parameters:
    ///   - request: The request, without `Authorization`.
    ///   - transport: What ``AuthClient/authorized(_:origins:audience:account:originClass:)`` returned.
    ///   - deadline: The longest time that it may take, a refresh included.
    public func send<Base: HTTPTransport>(
        _ request: TransportRequest, over transport: AuthorizedTransport<Base>, within deadline: Duration
    ) async -> WorkOutcome<TransportResponse> {
        var transport = transport
        // The account may have changed since the leave was given, and its work is not another person's.
        transport.account = account
        return await run { [transport, engine] in
            let response = try await transport.send(request, deadline: deadline)
            switch response.status {
            case 200..<400: return response
            case 401, 408, 425, 429, 500...:
                throw WorkPostponed(
                    retryAfter: RetryAfter.read(response.fields, now: engine.clock.wall()), status: response.status)
            default: throw WorkRefused(response: response)
            }
        }
    }

    /// How long `error` says to wait at least; `nil` if waiting does not help.
    private static func pause(_ error: any Error) -> Duration? {
        switch error {
        // A session that must be replaced has pauses that end with the sign-in.
        case let error as AuthError where error.recovery == .signIn: .zero
        case let error as AuthError: error.retryAfter ?? .zero
        case let error as TransportError: error.code == .invalidRequest ? nil : .zero
        case let error as WorkPostponed: error.retryAfter ?? .zero
        default: nil
        }
    }
}

/// What became of a piece of work.
public enum WorkOutcome<Value: Sendable>: Sendable {
    /// It is done.
    case done(Value)
    /// It could not be done now: keep it. The next leave comes when it makes sense to try again.
    case later(any Error)
    /// Trying again does not help: set it aside, tell the person, and go on with the rest.
    case refused(any Error)
}

/// Thrown by a piece of work that cannot be done now.
public struct WorkPostponed: Error, Hashable, Sendable {
    /// When to come again at the earliest; `nil` if the service did not say.
    public var retryAfter: Duration?
    /// The HTTP status, if there was an answer.
    public var status: Int?

    /// Creates the error.
    public init(retryAfter: Duration? = nil, status: Int? = nil) {
        self.retryAfter = retryAfter
        self.status = status
    }
}

/// The service refuses a request for good.
public struct WorkRefused: Error, Sendable {
    /// The answer.
    public var response: TransportResponse
}
