import CMicrohttpd
import LatchkeySystem

/// The state that the daemon's thread and the answering tasks share.
///
/// The daemon must not be stopped while a connection is suspended, and a connection must not be resumed after the
/// daemon was stopped. So suspending, resuming and stopping all happen under one lock, and the code that takes an
/// entry out of `waiting` is the code that resumes.
final class ServerCore: Sendable {
    struct State {
        /// The suspended connections by address.
        var waiting: [UInt: Waiting] = [:]
        var isStopped = false
    }

    struct Waiting {
        var exchange: Exchange
        var task: Task<Void, Never>?
    }

    let limits: ServerLimits
    let connections: OpenConnections
    let refused: @Sendable (ServerRefusal) -> ServerResponse?
    private let accepts: @Sendable (ConnectionEnds.End) -> ServerAdmission
    private let handler: @Sendable (ServerRequest) async -> ServerResponse?
    private let state = Locked(State())

    init(
        limits: ServerLimits, time: ServerTime, accepts: @escaping @Sendable (ConnectionEnds.End) -> ServerAdmission,
        refused: @escaping @Sendable (ServerRefusal) -> ServerResponse?,
        handler: @escaping @Sendable (ServerRequest) async -> ServerResponse?
    ) {
        self.limits = limits
        connections = OpenConnections(limits: limits, time: time)
        self.accepts = accepts
        self.refused = refused
        self.handler = handler
    }

    /// Returns whether to accept a connection from `peer`, and keeps its mark for when it is open.
    func admits(_ peer: ConnectionEnds.End) -> Bool {
        switch accepts(peer) {
        case .full: connections.admit(mark: nil)
        case .marked(let mark): connections.admit(mark: mark)
        case .none: false
        }
    }

    /// Suspends the connection and lets a task answer; `false` if the server is stopping.
    func dispatch(_ request: ServerRequest, of exchange: Exchange, on connection: OpaquePointer) -> Bool {
        let address = UInt(bitPattern: connection)
        let suspended = state.withLock { state in
            guard !state.isStopped else { return false }
            shim_mhd_suspend(connection)
            state.waiting[address] = Waiting(exchange: exchange)
            return true
        }
        guard suspended else { return false }
        connections.received(on: address)
        var request = request
        request.mark = connections.mark(of: address)
        let task = Task { [self, handler, request] in
            let response = await handler(request)
            finish(exchange, address, with: response)
        }
        let stillWaits = state.withLock { state in
            guard state.waiting[address]?.exchange === exchange else { return false }
            state.waiting[address]?.task = task
            return true
        }
        if !stillWaits { task.cancel() }
        return true
    }

    private func finish(_ exchange: Exchange, _ address: UInt, with response: ServerResponse?) {
        state.withLock { state in
            guard state.waiting[address]?.exchange === exchange else { return }
            state.waiting[address] = nil
            exchange.stage.withLock { $0 = .answered(response) }
            shim_mhd_resume(OpaquePointer(bitPattern: address))
        }
    }

    /// Drops every suspended connection, and refuses further ones. Returns `true` for the first caller only.
    func release() -> Bool {
        let (isFirst, waiting) = state.withLock { state -> (Bool, [Waiting]) in
            guard !state.isStopped else { return (false, []) }
            state.isStopped = true
            let waiting = state.waiting
            state.waiting = [:]
            for (address, entry) in waiting {
                entry.exchange.stage.withLock { $0 = .answered(nil) }
                shim_mhd_resume(OpaquePointer(bitPattern: address))
            }
            return (true, Array(waiting.values))
        }
        for entry in waiting { entry.task?.cancel() }
        connections.stop()
        return isFirst
    }
}
