public import Latchkey

/// A transport of its own: plain HTTP/1.1 to addresses in numbers, a connection for each request.
public struct RaftTransport: HTTPTransport {
    private let cap: Int
    private let context: PluginContext

    /// Creates a transport.
    ///
    /// - Parameter cap: The most bytes of a body.
    public init(cap: Int = 1 << 20, context: PluginContext = .system) {
        self.cap = cap
        self.context = context
    }

    /// Sends the request once.
    public func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let message = try RaftMessage(request)
        guard deadline > .zero else { throw TransportError(.timedOut, wasSent: false) }
        try Task.checkCancellation()
        var line = try RaftLine(clock: context.clock, end: context.clock.now() + deadline)
        defer { line.close() }
        try await line.connect(to: message.host, message.port)
        try await line.write(message.bytes)
        return try await answer(to: request.method, &line)
    }

    private func answer(to method: String, _ line: inout RaftLine) async throws -> TransportResponse {
        var head = try RaftHead(try await line.head())
        while (100...199).contains(head.status) { head = try RaftHead(try await line.head()) }
        let hasNone = method == "HEAD" || head.status == 204 || head.status == 304
        var body: [UInt8] = []
        if hasNone {
        } else if head.isChunked {
            while let chunk = try await line.chunk(cap: cap - body.count) { body += chunk }
        } else if let length = head.length {
            guard length <= cap else { throw TransportError(.tooLarge, wasSent: true) }
            body = try await line.take(length)
        } else {
            body = try await line.rest(cap: cap)
        }
        return TransportResponse(status: head.status, fields: head.fields, body: body)
    }
}
