import FoundationEssentials
import LatchkeyLocked

/// The app's transport as providers see it: every request ends before a given instant, is observed,
/// and shows how far the service's clock is ahead.
package final class MeasuredTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let context: PluginContext
    private let until: MonotonicInstant?
    /// Whether each 401 is observed as a refusal. Of a resource's answers the engine knows more.
    private let tellsRefusals: Bool
    private let learnt = Locked(Learnt())

    struct Learnt: Sendable {
        /// How far the service's clock is ahead, from the last `Date`.
        var offset: Duration?
    }

    package init(
        _ inner: any HTTPTransport, _ context: PluginContext, until: MonotonicInstant? = nil,
        tellsRefusals: Bool = false
    ) {
        self.inner = inner
        self.context = context
        self.until = until
        self.tellsRefusals = tellsRefusals
    }

    var summary: Learnt { learnt.withLock { $0 } }

    package func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let begun = context.clock.now()
        let rest = until.map { min(deadline, $0 - begun) } ?? deadline
        guard rest > .zero else { throw TransportError(.timedOut, wasSent: false) }
        do {
            let response = try await inner.send(request, deadline: rest)
            note(request, status: response.status, since: begun)
            let offset = ServerClock.offset(
                response.fields, wall: context.clock.wall(), roundTrip: context.clock.now() - begun)
            if let offset, abs(offset.inSeconds) < 1e9 { learnt.withLock { $0.offset = offset } }
            return response
        } catch {
            note(request, status: nil, since: begun)
            guard var failure = error as? TransportError else { throw error }
            failure.origin = failure.origin ?? WebAddress(request.url)?.origin
            throw failure
        }
    }

    private func note(_ request: TransportRequest, status: Int?, since begun: MonotonicInstant) {
        context.observer.observe(
            .request(
                method: request.method, origin: WebAddress(request.url)?.origin ?? "", status: status,
                took: context.clock.now() - begun))
        if tellsRefusals, status == 401 { context.observer.observe(.refusal(.service, .credential)) }
    }
}
