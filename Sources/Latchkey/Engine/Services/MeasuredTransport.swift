import FoundationEssentials
import LatchkeySystem

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
        /// How far the service's clock is ahead, from the last `Date`. That of an answer to a `GET`, which a cache may
        /// have kept, counts only until another answer has one.
        var offset: Duration?
        var isCacheable = true
        /// How long the last request took.
        var roundTrip = Duration.zero
        /// How long the slowest answer to a request took that no cache answers.
        var slowest: Duration?
        /// Whether a request came after the end, so that it was not sent.
        var isTooLate = false
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
        if rest <= .zero { learnt.withLock { $0.isTooLate = true } }
        let origin = WebAddress(request.url)?.origin ?? ""
        let response = try await inner.send(request, to: origin, begun: begun, deadline: rest, in: context)
        if tellsRefusals, response.status == 401 { context.observer.observe(.refusal(.service, .credential)) }
        note(response, isCacheable: ["GET", "HEAD"].contains(request.method), took: context.clock.now() - begun)
        return response
    }

    private func note(_ response: TransportResponse, isCacheable: Bool, took: Duration) {
        let offset = ServerClock.offset(response.fields, wall: context.clock.wall(), roundTrip: took)
        learnt.withLock { learnt in
            if !isCacheable {
                learnt.roundTrip = took
                learnt.slowest = max(took, learnt.slowest ?? took)
            }
            // An answer with `Age` is as old as a cache says (RFC 9111, section 5.1).
            guard let offset, abs(offset.inSeconds) < 1e9, response.fields["Age"] == nil,
                learnt.offset == nil || learnt.isCacheable || !isCacheable
            else { return }
            (learnt.offset, learnt.isCacheable) = (offset, isCacheable)
        }
    }
}

extension HTTPTransport {
    /// Sends the request, if there is time left for it, and tells the observer how it went.
    ///
    /// - Parameters:
    ///   - origin: The origin of the request's address, or an empty text.
    ///   - begun: The time now.
    func send(
        _ request: TransportRequest, to origin: String, begun: MonotonicInstant, deadline: Duration,
        in context: PluginContext
    ) async throws -> TransportResponse {
        guard deadline > .zero else { throw TransportError(.timedOut, wasSent: false) }
        func note(status: Int?) {
            context.observer.observe(
                .request(
                    method: request.method, origin: origin, status: status, took: context.clock.now() - begun))
        }
        do {
            let response = try await send(request, deadline: deadline)
            note(status: response.status)
            return response
        } catch {
            note(status: nil)
            guard var failure = error as? TransportError else { throw error }
            if failure.origin == nil, !origin.isEmpty { failure.origin = origin }
            throw failure
        }
    }
}
