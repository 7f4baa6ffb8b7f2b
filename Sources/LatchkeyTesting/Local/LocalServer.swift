import Latchkey
import LatchkeySystem

/// A small HTTP/1.1 server on loopback for the services that tests invent. The sockets are real, so
/// that tests can use a real transport.
///
/// ```swift
/// try await LocalServer.with { request in
///     request.path == "/token" ? .answer(TransportResponse(status: 200, body: Array("{}".utf8))) : .hangUp
/// } during: { server in
///     let provider = ExampleProvider(at: server.url)
/// }
/// ```
///
/// It listens on a free port of 127.0.0.1, serves many connections at once and many requests on
/// each, and records every request. It answers 400 to a head of more than 64 KiB, a body of more
/// than 8 MiB, and a body without a `Content-Length`. It has no TLS;
/// ``/Latchkey/WebAddress/isSecure`` is true for loopback.
public final class LocalServer: Sendable {
    private static let longestHead = 65_536
    private static let longestBody = 8 << 20
    private static let requestsKept = 10_000

    private let socket: LocalSocket
    private let answer: @Sendable (Request) async throws -> Reply
    private let seen = Locked<[Request]>([])
    private let tally = Tally()
    private let leavers = Tally()

    /// Starts a server, runs `work`, and stops the server. Nothing of it is left afterwards, even after an error.
    ///
    /// - Parameters:
    ///   - answer: Decides the reaction to each request. Several connections may call it at once; it is
    ///     cancelled when the server stops. If it throws, that is a ``Reply/hangUp``.
    ///   - isolation: Where `work` runs: where the caller does.
    ///   - work: The code that needs the server.
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.unsupported)` if no socket is available;
    ///   what `work` throws.
    @discardableResult
    public static func with<Value: Sendable>(
        answering answer: @escaping @Sendable (Request) async throws -> Reply,
        isolation: isolated (any Actor)? = #isolation, during work: (LocalServer) async throws -> Value
    ) async throws -> Value {
        let server: LocalServer
        do { server = try LocalServer(answer) } catch {
            throw AuthError(.configuration(.unsupported), "The machine gives no socket on loopback.")
        }
        let serving = Task { await server.serve() }
        let result: Result<Value, any Error>
        do { result = .success(try await work(server)) } catch { result = .failure(error) }
        server.socket.stop()
        serving.cancel()
        await serving.value
        return try result.get()
    }

    private init(_ answer: @escaping @Sendable (Request) async throws -> Reply) throws {
        socket = try LocalSocket()
        self.answer = answer
    }

    /// The server's address: `http://127.0.0.1:PORT`.
    public var url: String { "http://127.0.0.1:\(socket.port)" }

    /// The newest 10,000 requests, in the order in which they arrived.
    public var requests: [Request] { seen.withLock { $0 } }

    /// Returns when at least `count` requests have arrived.
    public func waitForRequests(_ count: Int) async throws { try await tally.wait(for: count) }

    /// Returns when at least `count` clients have left that got ``Reply/silence``.
    public func waitForLeavers(_ count: Int) async throws { try await leavers.wait(for: count) }

    private func serve() async {
        await withDiscardingTaskGroup { group in
            while let connection = await socket.next() {
                group.addTask { [self] in
                    await serve(connection)
                    socket.hangUp(connection)
                }
            }
        }
    }

    private func serve(_ connection: Int32) async {
        var rest: [UInt8] = []
        while let request = await next(on: connection, &rest) {
            seen.withLock { seen in
                if seen.count == Self.requestsKept { seen.removeFirst() }
                seen.append(request)
            }
            tally.add()
            let reply = (try? await answer(request)) ?? .hangUp
            guard await send(reply, to: request, on: connection) else { return }
        }
    }

    /// Returns the next request; `nil` if the client has gone, or sends something that is not a request.
    private func next(on connection: Int32, _ rest: inout [UInt8]) async -> Request? {
        var bytes = rest
        var end: Int?
        while true {
            end = bytes.emptyLine
            guard end == nil, bytes.count <= Self.longestHead else { break }
            let piece = await socket.read(connection)
            guard !piece.isEmpty else { return nil }
            bytes += piece
        }
        guard let end, let head = Request.head(bytes[..<end]), head.length <= Self.longestBody else {
            await socket.write(
                TransportResponse(status: 400, fields: ["Connection": "close"]).message(to: "").head, to: connection)
            return nil
        }
        if head.fields["Expect"] != nil { await socket.write(Array("HTTP/1.1 100 -\r\n\r\n".utf8), to: connection) }
        let whole = end + 4 + head.length
        while bytes.count < whole {
            let piece = await socket.read(connection)
            guard !piece.isEmpty else { return nil }
            bytes += piece
        }
        rest = Array(bytes[whole...])
        return Request(
            method: head.method, target: head.target, fields: head.fields, body: Array(bytes[(end + 4)..<whole]))
    }

    /// Sends the reply. Returns whether the connection stays open.
    private func send(_ reply: Reply, to request: Request, on connection: Int32) async -> Bool {
        switch reply {
        case .answer(let response):
            let (head, body) = response.message(to: request.method)
            let closes = [request.fields["Connection"], response.fields["Connection"]].contains {
                $0?.lowercased() == "close"
            }
            return await socket.write(head + body, to: connection) && !closes
        case .half(let response):
            let (head, body) = response.message(to: request.method)
            await socket.write(head + body[..<(body.count / 2)], to: connection)
        case .bytes(let bytes): await socket.write(bytes, to: connection)
        case .pieces(let pieces, let pause):
            for (index, piece) in pieces.enumerated() {
                if index > 0, pause > .zero { try? await Task.sleep(for: pause) }
                guard await socket.write(piece, to: connection) else { return false }
            }
            return true
        case .hangUp: break
        case .silence:
            while await !socket.read(connection).isEmpty {}
            leavers.add()
        }
        return false
    }
}

extension [UInt8] {
    /// The position of the first empty line.
    fileprivate var emptyLine: Int? {
        guard count >= 4 else { return nil }
        return (0...(count - 4)).first { self[$0...].starts(with: [13, 10, 13, 10]) }
    }
}
