import Latchkey
import LatchkeyHTTPServer
import LatchkeyLocked

/// Listens on 127.0.0.1 for one redirect (RFC 8252, sections 7.3 and 8.3), and answers everything else without
/// giving up.
final class LoopbackListener: Sendable {
    /// The most bytes of a query.
    static let queryCap = 8 << 10

    let redirect: String
    let arrival: Arrival
    private let server: HTTPServer

    /// - Throws: ``AuthError`` `configuration(.invalid)` when the port is taken or the path is none.
    init(port: UInt16, path: String) throws {
        guard path.utf8.first == 0x2F, path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3F && $0 != 0x23 })
        else { throw AuthError(.configuration(.invalid), "The path of the loopback redirect is not a path.") }
        let desk = Desk(path: path)
        // A browser sends the cookies of every other server on this machine along.
        let limits = ServerLimits(body: 1 << 10, head: 32 << 10, connections: 32, timeout: .seconds(10))
        do {
            server = try HTTPServer(port: port, limits: limits) { desk.answer($0) }
        } catch HTTPServerError.portTaken {
            throw AuthError(.configuration(.invalid), "Port \(port) on 127.0.0.1 is taken by another program.")
        } catch {
            throw AuthError(.configuration(.invalid), "Port \(port) on 127.0.0.1 cannot be listened on.")
        }
        desk.port.withLock { [port = server.port] in $0 = port }
        arrival = desk.arrival
        redirect = "http://127.0.0.1:\(server.port)\(path)"
    }

    func close() { server.stop() }
}

/// Judges the requests.
private final class Desk: Sendable {
    let port = Locked<UInt16>(0)
    let arrival = Arrival()
    private let path: String
    private let isTaken = Locked(false)

    init(path: String) { self.path = path }

    func answer(_ request: ServerRequest) -> ServerResponse {
        let language = PageLanguage(accepting: request.field("Accept-Language"))
        let origin = "127.0.0.1:\(port.withLock { $0 })"
        // Another name is a web page that points its own domain here.
        guard request.count(ofField: "Host") == 1, request.field("Host") == origin else { return Page.refusal(421) }
        guard request.path == path else { return Page.refusal(404) }
        guard request.method == "GET" else { return Page.refusal(405) }
        // An image or script of some web page is no person who comes back.
        guard request.field("Sec-Fetch-Mode") ?? "navigate" == "navigate" else { return Page.refusal(403) }
        let size = request.rawTarget.utf8.count - path.utf8.count - 1
        guard size > 0, !request.queryPairs.isEmpty else { return Page.refusal(404) }
        guard size <= LoopbackListener.queryCap else { return Page.refusal(414) }
        let isFirst = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        guard isFirst else { return Page.over.response(in: language) }
        let isFailure = request.queryPairs.contains { $0.name == "error" }
        var response = (isFailure ? Page.failed : Page.arrived).response(in: language)
        let address = Secret("http://\(origin)\(request.rawTarget)")
        // Only now, so that the page is out when the engine closes the listener.
        response.whenDone = { [arrival] in arrival.deliver(address) }
        return response
    }
}
