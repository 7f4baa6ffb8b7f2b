public import Latchkey

/// Carries requests over to another transport: gives each a number of its own, in the field `X-Crossing`, and tries again
/// what may be repeated.
public struct FerryTransport: HTTPTransport {
    private let wrapped: any HTTPTransport
    private let context: PluginContext
    private let log: @Sendable (String) -> Void
    private let tries = 3

    /// Wraps a transport.
    ///
    /// - Parameter log: Is given a line for each request that is tried again.
    public init(
        wrapping wrapped: any HTTPTransport, context: PluginContext = .system,
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.wrapped = wrapped
        self.context = context
        self.log = log
    }

    /// Sends the request, again if that is safe and there is time.
    public func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        var numbered = request
        if numbered.fields["X-Crossing"] == nil { numbered.fields.add("X-Crossing", context.randomName(bytes: 8)) }
        let end = context.clock.now() + deadline
        var wasSent = false
        var number = 1
        while true {
            let crossing = try await cross(numbered, within: end - context.clock.now())
            wasSent = wasSent || crossing.wasSent
            let pause = pause(after: crossing, number)
            guard request.mayBeWrittenTwice, number < tries, crossing.mayGoBetter, context.clock.now() + pause < end
            else {
                return try crossing.answer(wasSent)
            }
            log("\(request): \(crossing.words), again in \(pause)")
            try await context.clock.sleep(until: context.clock.now() + pause)
            number += 1
        }
    }

    private func cross(_ request: TransportRequest, within rest: Duration) async throws -> Crossing {
        do { return .answered(try await wrapped.send(request, deadline: rest)) } catch let error as TransportError {
            return .failed(error)
        }
    }

    private func pause(after crossing: Crossing, _ number: Int) -> Duration {
        let own = Duration.milliseconds(20 << number)
        guard case .answered(let answer) = crossing else { return own }
        return own + (RetryAfter.read(answer.fields, now: context.clock.wall()) ?? .zero)
    }
}

extension FerryTransport: TrustNaming {
    /// What the wrapped transport says; the number changes nothing about whom it reaches.
    public var trust: String { (wrapped as? any TrustNaming)?.trust ?? "" }
}
