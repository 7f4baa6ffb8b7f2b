import Latchkey
import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeySystem
import LatchkeyTesting

/// A way to a dev server of this process, without a socket, on which one request meets a fault.
final class FaultyLine: HTTPTransport {
    private struct State {
        var count = 0
        var fault: ServiceFault?
        var place = 0
        var isDead = false
        var whenKilled: (@Sendable () -> Void)?
        var met: String?
    }

    private let server: DevServer
    private let clock: ManualClock
    private let state = Locked(State())

    init(_ server: DevServer, _ clock: ManualClock) { (self.server, self.clock) = (server, clock) }

    /// Lets `fault` meet the request number `place` from now on.
    func arm(_ fault: ServiceFault?, at place: Int, whenKilled: @escaping @Sendable () -> Void) {
        state.withLock { state in
            (state.count, state.fault, state.place, state.whenKilled) = (0, fault, place, whenKilled)
        }
    }

    func disarm() { state.withLock { $0.fault = nil } }

    /// The requests since ``arm(_:at:whenKilled:)``.
    var count: Int { state.withLock { $0.count } }
    /// The path of the request that met the fault.
    var met: String? { state.withLock { $0.met } }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let (fault, isDead) = state.withLock { state -> (ServiceFault?, Bool) in
            state.count += 1
            guard !state.isDead else { return (nil, true) }
            guard state.count == state.place, let fault = state.fault else { return (nil, false) }
            state.met = WebAddress(request.url)?.path
            return (fault, false)
        }
        if isDead { throw TransportError(.unreachable, wasSent: false) }
        guard let fault else { return try await deliver(request) }
        if fault.reachesService {
            let ends = clock.now() + deadline
            if fault.isSlow { try await clock.sleep(until: clock.now() + deadline / 2) }
            let response = try await deliver(request)
            return try await end(fault, response, ends)
        }
        if let page = fault.page { return page }
        throw TransportError(.interrupted, wasSent: true)
    }

    private func end(
        _ fault: ServiceFault, _ response: TransportResponse, _ ends: MonotonicInstant
    ) async throws -> TransportResponse {
        switch fault {
        case .cut:
            var cut = response
            guard !cut.body.isEmpty else { throw TransportError(.interrupted, wasSent: true) }
            cut.body = Array(cut.body.prefix(cut.body.count / 2))
            return cut
        case .killed:
            let tell = state.withLock { state in
                state.isDead = true
                return state.whenKilled
            }
            tell?()
            throw TransportError(.interrupted, wasSent: true)
        case .slow: return response
        case .late, .slowAndLate:
            try await clock.sleep(until: ends)
            throw TransportError(.timedOut, wasSent: true)
        default:
            if let page = fault.page { return page }
            throw TransportError(.interrupted, wasSent: true)
        }
    }

    private func deliver(_ request: TransportRequest) async throws -> TransportResponse {
        let target = String(request.url.dropFirst(server.supabaseURL.count))
        var fields = request.fields.lines
        fields.append(("Host", "127.0.0.1:\(server.port)"))
        guard let asked = ServerRequest(request.method, target, fields: fields, body: request.body ?? []),
            let answer = await server.answer(asked)
        else { throw TransportError(.interrupted, wasSent: true) }
        return TransportResponse(status: answer.status, fields: HeaderFields(answer.fields), body: answer.body)
    }
}
