import LatchkeyCrypto
package import LatchkeyHTTPServer
import LatchkeySystem

/// An identity server for development, on loopback. It speaks OAuth 2.0 and OpenID Connect, refuses what a strict
/// service refuses, and can fail on request.
///
/// Everything is in memory, the passwords of its accounts are printed, and it answers only this machine. Never put
/// a proxy in front of it.
///
/// Endpoints: discovery (OpenID Connect Discovery 1.0 and RFC 8414), keys, authorization with PKCE (RFC 7636) and `iss`
/// (RFC 9207), token, device authorization (RFC 8628), revocation (RFC 7009), UserInfo, and a protected resource.
///
/// Under `/auth/v1` it is a Supabase project too; see ``Supabase``.
/// Stop it when you are done. Dropping the last reference stops it too, once no answer is held.
public final class DevServer: Sendable {
    /// The port on 127.0.0.1.
    public let port: UInt16
    let state: Locked<DevState>
    let held = HeldAnswers()
    let now: @Sendable () -> Double
    let sleep: @Sendable (Double) async -> Void
    let report: @Sendable (Entry) -> Void
    private let server: HTTPServer
    private let target = Target()

    /// The issuer, `http://127.0.0.1:PORT`, without a slash at its end.
    public var issuer: String { "http://127.0.0.1:\(port)" }

    /// The text for a program to print after the start.
    public var banner: String {
        """
        Latchkey development server at \(issuer)
        For development only: everything is in memory, and its passwords are on \(issuer)/
        """
    }

    /// Starts a server.
    ///
    /// - Throws: ``Failure``.
    public init(_ configuration: Configuration = Configuration()) throws(Failure) {
        guard configuration.isValid else { throw .configuration }
        guard CryptoLibrary.missing == nil else { throw .cryptoMissing }
        now = configuration.now
        sleep = configuration.sleep
        report = configuration.report
        do throws(HTTPServerError) {
            let target = target
            server = try HTTPServer(port: configuration.port, limits: Self.limits) { await target.answer($0) }
        } catch {
            switch error {
            case .portTaken(let port): throw .portTaken(port)
            case .libraryMissing: throw .libraryMissing
            case .notLoopback, .unavailable: throw .unavailable
            }
        }
        port = server.port
        guard let first = try? DevState(issuer: "http://127.0.0.1:\(server.port)", configuration: configuration) else {
            server.stop()
            throw .unavailable
        }
        state = Locked(first)
        target.set(self)
    }

    deinit { stop() }

    /// The limits. Bodies of the Supabase dialect are read up to 8 MiB, so that it refuses what is above its own limit
    /// in its own way.
    private static let limits = ServerLimits(body: 8 << 20)
    private static let formLimit = ServerLimits().body

    /// Drops every connection and frees the port. Calling it again does nothing.
    public func stop() {
        held.close()
        server.stop()
    }

    /// Answers one request; `nil` drops the connection. For tests without a socket.
    package func answer(_ request: ServerRequest) async -> ServerResponse? {
        // The request must use our name: otherwise a page that points its own domain here could talk to us.
        guard request.isAddressedToLoopback(port: port) else {
            return .text("This server answers under its loopback names only.\n", status: 421)
        }
        if request.path.hasPrefix(Self.controlPrefix) { return control(request) }
        if let answer = preflight(request) { return answer }
        return await answerPlainly(request).map { shared($0, with: request) }
    }

    private func answerPlainly(_ request: ServerRequest) async -> ServerResponse? {
        guard let endpoint = Endpoint(path: request.path) else {
            if request.path.hasPrefix(SupabaseCall.prefix) { return SupabaseReply.notFound }
            return Page(for: request).message("nothing", status: 404, mark: .bad)
        }
        guard endpoint.isSupabase || endpoint.isClerk || request.body.count <= Self.formLimit else {
            return ServerResponse(status: 413)
        }
        let fault = state.withLock { $0.faults.take(endpoint, grant: Self.grant(of: request)) }
        return await answer(request, at: endpoint, fault: fault)
    }
}

/// Lets the HTTP server call its owner without keeping it alive.
private final class Target: Sendable {
    private struct Weak {
        weak var server: DevServer?
    }

    private let server = Locked(Weak())

    func set(_ owner: DevServer) {
        server.withLock { $0.server = owner }
    }

    func answer(_ request: ServerRequest) async -> ServerResponse? {
        guard let owner = server.withLock({ $0.server }) else { return nil }
        return await owner.answer(request)
    }
}
