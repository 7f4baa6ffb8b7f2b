import LatchkeyHTTPServer
import LatchkeySystem
import LatchkeyTesting

/// A service that counts what reaches it, whole, by its target; and answers some of it only when it is told to.
final class CountingService: Sendable {
    private struct State {
        var received: [String: Int] = [:]
        var held = 0
    }

    let port: UInt16
    /// Open once so many requests for `/held…` are here.
    let isFull = Latch()
    /// Opened by the test: they are answered.
    let release = Latch()
    private let state: Locked<State>
    private let server: HTTPServer

    /// - Parameter count: How many requests are held before ``isFull`` opens.
    init(holding count: Int = 1) throws {
        let state = Locked(State())
        server = try HTTPServer(limits: ServerLimits(body: 8 << 20, connections: 512)) { [isFull, release] request in
            let isHeld = request.path.hasPrefix("/held")
            let held = state.withLock { state in
                state.received[request.path, default: 0] += 1
                if isHeld { state.held += 1 }
                return state.held
            }
            if isHeld {
                if held == count { isFull.open() }
                try? await release.wait()
            }
            return ServerResponse(status: 200, fields: [], body: Array("\(request.method) \(request.body.count)".utf8))
        }
        self.state = state
        port = server.port
    }

    var origin: String { "http://127.0.0.1:\(port)" }

    /// How often a request for `target` was received.
    func received(_ target: String) -> Int { state.withLock { $0.received[target] ?? 0 } }

    /// How many requests were received.
    var total: Int { state.withLock { $0.received.values.reduce(0, +) } }
}
