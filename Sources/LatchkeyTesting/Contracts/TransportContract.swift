public import Latchkey
import LatchkeyJSON

/// The contract of every ``/Latchkey/HTTPTransport``, against a local server that serves ``TransportRoutes``.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | method, fields and body arrive as they are | five methods, every byte value, each way of writing |
/// | every status is an answer and no error | 200 to 503 |
/// | a redirect is returned and never followed | `/redirect` |
/// | repeated fields come back each | `/fields` |
/// | more bytes than the cap is tooLarge | exactly the limit, and one more |
/// | no answer before the deadline is timedOut, and may have been sent | `/never` |
/// | cancelling gives the request up with CancellationError | `/never` |
/// | no connection is unreachable, and was not sent | a port without a server |
/// | what is no request is invalidRequest, and was not sent | bad addresses, schemes, fields with line ends |
/// | answers of requests at once are not mixed up | 16 at once |
public struct TransportContract: Sendable {
    private let base: String
    private let nobody: String
    private let cap: Int
    private let transport: any HTTPTransport
    private let clauses: Clauses

    /// Creates a contract over `transport`.
    ///
    /// - Parameters:
    ///   - base: Where the routes are served, such as `http://127.0.0.1:4711`, without a slash at the
    ///     end.
    ///   - nobody: An address without a server.
    ///   - cap: The most bytes that the transport accepts in an answer.
    ///   - timeLimit: How long a clause may take, in real time. A clause that takes longer is broken
    ///     and left behind.
    ///   - transport: The transport to test.
    public init(
        serving base: String, nobody: String = "http://127.0.0.1:1", cap: Int = 1 << 20,
        timeLimit: Duration = ClauseLimit.standard, _ transport: any HTTPTransport
    ) {
        self.base = base
        self.nobody = nobody
        self.cap = cap
        self.transport = transport
        clauses = Clauses(contract: "TransportContract", limit: timeLimit)
    }

    /// Checks every clause.
    public func run() async throws {
        try await clauses.clause("method, fields and body arrive as they are", echoes)
        try await clauses.clause("every status is an answer and no error") {
            for status in [200, 201, 204, 400, 401, 403, 404, 429, 500, 502, 503] {
                let found = try await get("/status/\(status)").status
                try expect(found == status, "\(status) came as \(found)")
            }
        }
        try await clauses.clause("a redirect is returned and never followed") {
            let response = try await get("/redirect")
            try expect(response.status == 302, "it came as \(response.status)")
            try expect(response.fields["location"]?.hasSuffix("/echo") == true, "its Location is missing")
        }
        try await clauses.clause("repeated fields come back each") {
            try expect(try await get("/fields").fields.all("x-twice") == ["one", "two"], "one is missing")
        }
        try await clauses.clause("more bytes than the cap is tooLarge") {
            try expect(try await get("/bytes/\(cap)").body.count == cap, "an answer as large as the cap is cut")
            try await expectFailure(.tooLarge, wasSent: true) { _ = try await get("/bytes/\(cap + 1)") }
        }
        try await clauses.clause("no answer before the deadline is timedOut, and may have been sent") {
            try await expectFailure(.timedOut, wasSent: true) {
                _ = try await get("/never", deadline: .milliseconds(200))
            }
        }
        try await clauses.clause("cancelling gives the request up with CancellationError") {
            try await expectCancellation { _ = try await get("/never", deadline: .seconds(60)) }
        }
        try await clauses.clause("no connection is unreachable, and was not sent") {
            try await expectFailure(.unreachable, wasSent: false) {
                try await send(TransportRequest("GET", nobody + "/"))
            }
        }
        try await clauses.clause("what is no request is invalidRequest, and was not sent", invalid)
        try await clauses.clause("answers of requests at once are not mixed up", atOnce)
    }

    private func echoes() async throws {
        let every = Array(UInt8.min...UInt8.max)
        for (method, body) in [("GET", nil), ("DELETE", nil), ("POST", every), ("PUT", []), ("PATCH", every)] {
            let fields: HeaderFields = ["X-One": "a b", "Content-Type": "application/octet-stream"]
            var request = TransportRequest(method, base + "/echo", fields: fields, body: body)
            for writing in [TransportRequest.Writing.byMethod, .twice, .once, .onceOnNewConnection] {
                request.writing = writing
                try await echo(request)
            }
        }
    }

    private func echo(_ request: TransportRequest) async throws {
        let (method, body) = (request.method, request.body ?? [])
        let echoed = try JSON.parse(try await send(request).body)
        try expect(echoed["method"]?.string == method, "\(method) arrived as another method")
        try expect(echoed["fields"]?["x-one"] == ["a b"], "a field of \(method) arrived otherwise")
        let arrived = echoed["body"]?.array?.compactMap(\.integer)
        try expect(arrived == body.map { Int64($0) }, "the body of \(method) arrived otherwise")
    }

    private func invalid() async throws {
        let requests = [
            TransportRequest("GET", "no address"), TransportRequest("GET", ""),
            TransportRequest("GET", "ftp://127.0.0.1/"),
            TransportRequest("GET", "file:///etc/hostname"),
            TransportRequest("GET", base + "/echo", fields: ["X-One": "a\r\nX-Two: b"]),
            TransportRequest("GET", base + "/echo", fields: ["X One": "a"]),
            TransportRequest("GET / HTTP/1.1\r\nX: ", base + "/echo"),
        ]
        for request in requests {
            try await expectFailure(.invalidRequest, wasSent: false) { try await send(request) }
        }
    }

    private func atOnce() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in UInt8(1)...16 {
                group.addTask {
                    let request = TransportRequest("POST", base + "/echo", body: [number])
                    let echoed = try JSON.parse(try await send(request).body)
                    try expect(echoed["body"] == [.integer(Int64(number))], "one got another's answer")
                }
            }
            try await group.waitForAll()
        }
    }

    private func get(_ path: String, deadline: Duration = .seconds(10)) async throws -> TransportResponse {
        try await transport.send(TransportRequest("GET", base + path), deadline: deadline)
    }

    @discardableResult
    private func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await transport.send(request, deadline: .seconds(10))
    }
}

/// Throws ``Broken`` unless `body` throws that ``/Latchkey/TransportError``.
private func expectFailure(
    _ code: TransportError.Code, wasSent: Bool, _ body: () async throws -> Void
) async throws {
    let expected = TransportError(code, wasSent: wasSent)
    do {
        try await body()
    } catch let error as TransportError {
        try expect(error == expected, "it threw \"\(error)\" and not \"\(expected)\"")
        return
    } catch {
        throw Broken("it threw \(Clauses.shown(error)) and not \"\(expected)\"")
    }
    throw Broken("it did not throw \"\(expected)\"")
}
