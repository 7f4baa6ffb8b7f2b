import Latchkey
import LatchkeyCurl
import LatchkeyHTTPServer
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting

/// Passes requests on to a service, and counts those that spend a refresh token: as many as the wire has, whatever
/// their senders believe.
final class CountingProxy: Sendable {
    /// What was counted.
    struct Count: Sendable {
        /// Requests with `grant_type=refresh_token`.
        var refreshes = 0
        /// When they came.
        var times: [MonotonicInstant] = []
        /// The most of them that were under way at once.
        var mostAtOnce = 0
        /// The statuses of their answers.
        var statuses: [Int] = []
        /// The refresh tokens that came back, in the order of the answers.
        var given: [String] = []
        fileprivate var underWay = 0
    }

    /// Catches one refresh.
    struct Trap: Sendable {
        /// Whether the service sees the request, and acts on it.
        let reachesService: Bool
        /// Whether the answer goes its way in the end; else the connection breaks then.
        var delivers = false
        /// Open once the request is here, and the service has answered where it may.
        let sprung = Latch()
        /// Opened by whoever set the trap: it lets go.
        let over = Latch()
    }

    let origin: String
    /// The port of the service.
    let servicePort: UInt16
    private let server: HTTPServer
    private let counted: Locked<Count>
    private let trap: Locked<Trap?>

    /// A proxy that listens from now on.
    init(before issuer: String) throws {
        let service = WebAddress(issuer)?.origin ?? issuer
        servicePort = WebAddress(issuer)?.port ?? 0
        let counted = Locked(Count())
        let trap = Locked<Trap?>(nil)
        let curl = CurlTransport()
        server = try HTTPServer { request in
            guard Self.isRefresh(request) else { return await Self.pass(request, to: service, over: curl) }
            counted.withLock { count in
                count.refreshes += 1
                count.times.append(SystemClock().now())
                count.underWay += 1
                count.mostAtOnce = max(count.mostAtOnce, count.underWay)
            }
            let set = trap.withLock { trap in
                defer { trap = nil }
                return trap
            }
            var response: ServerResponse?
            if set?.reachesService ?? true { response = await Self.pass(request, to: service, over: curl) }
            if let set {
                set.sprung.open()
                try? await set.over.wait()
                if !set.delivers { response = nil }
            }
            counted.withLock { count in
                count.underWay -= 1
                count.statuses.append(response?.status ?? 0)
                if let given = response.flatMap({ try? JSON.parse($0.body)["refresh_token"]?.string }) {
                    count.given.append(given)
                }
            }
            return response
        }
        self.trap = trap
        self.counted = counted
        origin = "http://127.0.0.1:\(server.port)"
    }

    /// Catches the next refresh.
    func set(_ trap: Trap) { self.trap.withLock { $0 = trap } }

    var count: Count { counted.withLock { $0 } }

    private static func isRefresh(_ request: ServerRequest) -> Bool {
        request.method == "POST"
            && FormPairs.decode(request.body)?.contains { $0 == ("grant_type", "refresh_token") } == true
    }

    private static func pass(
        _ request: ServerRequest, to service: String, over transport: CurlTransport
    ) async -> ServerResponse? {
        let body = request.method == "GET" ? nil : request.body
        let passed = TransportRequest(
            request.method, service + request.rawTarget, fields: HeaderFields(endToEnd(request.fields)), body: body)
        // No answer is passed on as none.
        guard let answer = try? await transport.send(passed, deadline: .seconds(30)) else { return nil }
        return ServerResponse(status: answer.status, fields: endToEnd(answer.fields.lines), body: answer.body)
    }

    /// What is not about one connection.
    private static func endToEnd(_ fields: [(name: String, value: String)]) -> [(name: String, value: String)] {
        let own = [
            "host", "connection", "keep-alive", "content-length", "transfer-encoding", "te", "upgrade", "expect",
        ]
        return fields.filter { !own.contains($0.name.lowercased()) }
    }
}
