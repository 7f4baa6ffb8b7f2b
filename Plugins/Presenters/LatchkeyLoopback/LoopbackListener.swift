import Latchkey
import LatchkeyHTTPServer
import LatchkeySystem

/// Listens on loopback: sends the browser on to the service, takes the redirect that comes back (RFC 8252,
/// sections 7.3 and 8.3), and answers everything else without giving up.
///
/// A connection of another user of this machine reads that it is not answered, the same at every address, and nothing of
/// the sign-in.
final class LoopbackListener: Sendable {
    /// The most bytes in a query.
    static let queryCap = 8 << 10
    /// The most connections at once; each has five seconds for its request. A browser also sends the cookies of
    /// every other server on this machine, so the head may be large. A body is read only to say that none is taken.
    static let limits = ServerLimits(
        body: 64 << 10, head: 64 << 10, connections: 32, timeout: .seconds(10), requestTime: .seconds(5))

    /// The address of the redirect.
    let redirect: String
    /// The address at which a visit begins. It contains nothing of the visit.
    let start: String
    /// What answers the browsers.
    let inbox: RedirectInbox
    private let servers: [HTTPServer]

    /// How often another free port is tried, if one of `localhost` is free at one of its two addresses only.
    private static let portTries = 16

    /// - Parameters:
    ///   - place: Where to listen. Without a port, at any free one.
    ///   - app: The app's name, for the pages.
    ///   - trust: Returns why a connection is not listened to; `nil` for one that is.
    ///   - canPaste: Whether the person can paste the address at which a browser arrived.
    ///   - stray: Called when a browser comes back with something else, or is not listened to.
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.invalid)` when the port is taken or the path is invalid.
    init(
        at place: LoopbackRedirect, app: String?, context: PluginContext,
        trust: @escaping @Sendable (ConnectionEnds) -> StrayRedirect?, canPaste: Bool = false,
        stray: @escaping @Sendable (StrayRedirect) -> Void = { _ in }
    ) throws {
        guard LoopbackRedirect.isPath(place.path) else {
            throw AuthError(.configuration(.invalid), "The path of the loopback redirect is not a path.")
        }
        let inbox = RedirectInbox(path: place.path, app: app, canPaste: canPaste, context: context, stray: stray)
        servers = try Self.open(place) { (host, port) throws(HTTPServerError) in
            try HTTPServer(
                host: host, port: port, limits: Self.limits, time: ServerTime(context.clock),
                accepts: { ends in trust(ends).map { .marked($0.rawValue) } ?? .full }, refused: inbox.refuse
            ) { await inbox.answer($0) }
        }
        var place = place
        place.port = servers[0].port
        inbox.place.withLock { [place] in $0 = place }
        self.inbox = inbox
        redirect = place.description
        start = place.origin + inbox.start
    }

    /// Listens at every address of the host, at the same port.
    private static func open(
        _ place: LoopbackRedirect, _ listen: (String, UInt16) throws(HTTPServerError) -> HTTPServer
    ) throws(AuthError) -> [HTTPServer] {
        var tries = place.port == nil ? portTries : 1
        while true {
            tries -= 1
            var servers: [HTTPServer] = []
            var address = place.host.addresses[0]
            do throws(HTTPServerError) {
                for next in place.host.addresses {
                    address = next
                    do throws(HTTPServerError) {
                        servers.append(try listen(next, servers.first?.port ?? place.port ?? 0))
                    } catch .unavailable where !servers.isEmpty {
                        // A machine without IPv6: no other program can listen there either.
                    }
                }
                return servers
            } catch {
                for server in servers { server.stop() }
                if case .portTaken = error, tries > 0 { continue }
                throw failure(error, at: address, place.port ?? 0)
            }
        }
    }

    private static func failure(_ error: HTTPServerError, at address: String, _ port: UInt16) -> AuthError {
        let port = "Port \(port) on \(address)"
        let message =
            switch error {
            case .portTaken:
                "\(port) is taken by another program, which would get the redirect: end that one, or use another port."
            case .libraryMissing: error.description
            default: "\(port) cannot be listened on."
            }
        return AuthError(.configuration(.invalid), message)
    }

    /// Answers the browsers that still wait, and then frees the port.
    func finish() async {
        await inbox.finish()
        close()
    }

    /// Frees the port, and drops every connection.
    func close() {
        inbox.stop()
        for server in servers { server.stop() }
    }
}

extension ServerTime {
    /// Wraps the clock of the plugin's context.
    fileprivate init(_ clock: any AuthClock) {
        let origin = clock.now()
        self.init(now: { clock.now() - origin }, sleep: { try await clock.sleep(until: origin + $0) })
    }
}
