import Latchkey
import LatchkeyHTTPServer
import LatchkeyLocked

/// Listens on 127.0.0.1: sends the browser on to the service, takes the redirect that comes back (RFC 8252,
/// sections 7.3 and 8.3), and answers everything else without giving up.
///
/// Ends connections of other users of this machine without sending a byte.
final class LoopbackListener: Sendable {
    /// The most bytes in a query.
    static let queryCap = 8 << 10
    /// The most connections at once; each has five seconds for its request. A browser also sends the cookies of
    /// every other server on this machine, so the head may be large. The listener expects no body.
    static let limits = ServerLimits(
        body: 1 << 10, head: 32 << 10, connections: 32, timeout: .seconds(10), requestTime: .seconds(5))

    /// The address of the redirect.
    let redirect: String
    /// The address at which a visit begins. It contains nothing of the visit.
    let start: String
    /// What answers the browsers.
    let desk: Desk
    private let server: HTTPServer

    /// - Parameters:
    ///   - app: The app's name, for the pages.
    ///   - trust: Decides whose connections are accepted.
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` when the port is taken or the path is invalid.
    init(
        port: UInt16, path: String, app: String?, context: PluginContext,
        trust: @escaping @Sendable (ConnectionEnds) -> Bool
    ) throws {
        guard path.utf8.first == 0x2F, path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3F && $0 != 0x23 })
        else { throw AuthError(.configuration(.invalid), "The path of the loopback redirect is not a path.") }
        let desk = Desk(path: path, app: app, context: context)
        do {
            server = try HTTPServer(port: port, limits: Self.limits, time: ServerTime(context.clock), accepts: trust) {
                await desk.answer($0)
            }
        } catch HTTPServerError.portTaken {
            throw AuthError(.configuration(.invalid), "Port \(port) on 127.0.0.1 is taken by another program.")
        } catch HTTPServerError.libraryMissing {
            throw AuthError(.configuration(.invalid), HTTPServerError.libraryMissing.description)
        } catch {
            throw AuthError(.configuration(.invalid), "Port \(port) on 127.0.0.1 cannot be listened on.")
        }
        desk.port.withLock { [port = server.port] in $0 = port }
        self.desk = desk
        redirect = "http://127.0.0.1:\(server.port)\(path)"
        start = "http://127.0.0.1:\(server.port)\(desk.start)"
    }

    /// Answers the browsers that still wait, and then frees the port.
    func finish() async {
        await desk.finish()
        close()
    }

    /// Frees the port, and drops every connection.
    func close() {
        desk.stop()
        server.stop()
    }
}

extension ServerTime {
    /// Wraps the clock of the plugin's context.
    fileprivate init(_ clock: any AuthClock) {
        let origin = clock.now()
        self.init(now: { clock.now() - origin }, sleep: { try await clock.sleep(until: origin + $0) })
    }
}
