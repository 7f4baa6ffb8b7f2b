public import Latchkey
import LatchkeyJSON

/// The contract of every ``/Latchkey/HTTPTransport``, against local servers over real sockets. For one that wraps another,
/// run ``TransportWrapperContract`` as well.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | method, fields and body arrive as they are | five methods, every byte value, each way of writing |
/// | the address arrives as it is written, without its fragment | escapes, an empty query, a fragment |
/// | a request names the program, or what it says itself | `User-Agent` |
/// | every status is an answer and no error | 200 to 503 |
/// | a redirect is returned and never followed | 300 to 308, for `GET` and `POST` |
/// | repeated fields come back each | two lines of one name |
/// | a whole answer comes whole, however it is framed | chunks, bytes up to the end, slices, answers before the answer, folded lines, none for `HEAD`, 204 and 304 |
/// | a compressed answer is undone, or comes as the request asked | gzip, the request's own `Accept-Encoding`, a `Range` |
/// | an answer that is cut is interrupted, and no answer | a cut head, body, chunk, gzip, what is no HTTP |
/// | a connection that breaks is interrupted, and may have been sent | no byte of an answer, for each method |
/// | a request that may not be written twice arrives once, whatever comes | seven such requests, on new and kept connections, breaks, silence, 408 to 503 |
/// | a kept connection that is dead fails no request that may have another | `GET` and `POST` after the server hung up |
/// | more bytes than the cap is tooLarge | exactly the limit, and one more; without a length, compressed |
/// | no answer before the deadline is timedOut, and may have been sent | silence, a byte now and then, no time at all |
/// | cancelling gives the request up with CancellationError | before and after it arrived |
/// | what is given up is closed | the connection, after cancelling and after the deadline |
/// | no connection is unreachable, and was not sent | a port without a server |
/// | what is no request is invalidRequest, and was not sent | bad addresses, schemes, fields with line ends |
/// | answers of requests at once are not mixed up | 16 at once |
/// | a request that waits holds up no other | four without an answer, and one with |
/// | nothing is kept from one request for the next | cookies, answers that may be kept, a sign-in that is asked for |
/// | nothing of a request or an answer is printed | errors, and the transport itself |
public struct TransportContract: Sendable {
    private let base: String?
    private let nobody: String
    let cap: Int
    let transport: any HTTPTransport
    let clauses: Clauses

    /// Creates a contract over `transport`, which serves everything by itself.
    ///
    /// - Parameters:
    ///   - nobody: An address without a server.
    ///   - cap: The most bytes that the transport accepts in an answer.
    ///   - timeLimit: How long a clause may take, in real time. A clause that takes longer is broken
    ///     and left behind.
    ///   - transport: The transport to test.
    public init(
        nobody: String = "http://127.0.0.1:1", cap: Int = 1 << 20, timeLimit: Duration = ClauseLimit.standard,
        _ transport: any HTTPTransport
    ) {
        base = nil
        self.nobody = nobody
        self.cap = cap
        self.transport = transport
        clauses = Clauses(contract: "TransportContract", limit: timeLimit)
    }

    /// Creates a contract over `transport`, of which another server than the contract's serves ``TransportRoutes``: one with
    /// TLS, say.
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
        try await LocalServer.with { [cap] request in
            if let fault = TransportFaults(path: request.path) { return fault.reply(to: request, cap: cap) }
            let routed = TransportRequest(request.method, request.path, fields: request.fields, body: request.body)
            return TransportRoutes.answer(to: routed).map { .answer($0) } ?? .silence
        } during: { server in
            try await checkWhole(at: base ?? server.url)
            try await checkRequests(at: server)
            try await checkFraming(at: server)
            try await checkBreaks(at: server)
            try await checkTexts(at: server)
        }
    }

    /// Checks the clauses for which ``TransportRoutes`` are enough, at the server that was given: for a transport that sends
    /// to certain origins only, and may send again.
    package func runRoutes() async throws { if let base { try await checkWhole(at: base) } }

    /// What ``TransportRoutes`` are enough for.
    private func checkWhole(at base: String) async throws {
        try await clauses.clause("method, fields and body arrive as they are") { try await echoes(base) }
        try await clauses.clause("every status is an answer and no error") {
            for status in [200, 201, 204, 400, 401, 403, 404, 429, 500, 502, 503] {
                let found = try await get("\(base)/status/\(status)").status
                try expect(found == status, "\(status) came as \(found)")
            }
        }
        try await clauses.clause("a redirect is returned and never followed") {
            let response = try await get("\(base)/redirect")
            try expect(response.status == 302, "it came as \(response.status)")
            try expect(response.fields["location"]?.hasSuffix("/echo") == true, "its Location is missing")
        }
        try await clauses.clause("repeated fields come back each") {
            try expect(try await get("\(base)/fields").fields.all("x-twice") == ["one", "two"], "one is missing")
        }
        try await clauses.clause("more bytes than the cap is tooLarge") {
            let most = try await get("\(base)/bytes/\(cap)").body.count
            try expect(most == cap, "an answer as large as the cap is cut")
            try await expectFailure(.tooLarge, wasSent: true) { _ = try await get("\(base)/bytes/\(cap + 1)") }
        }
        try await clauses.clause("no answer before the deadline is timedOut, and may have been sent") {
            try await expectFailure(.timedOut, wasSent: true) {
                _ = try await get("\(base)/never", deadline: .milliseconds(200))
            }
        }
        try await clauses.clause("cancelling gives the request up with CancellationError") {
            try await expectCancellation { _ = try await get("\(base)/never", deadline: .seconds(60)) }
        }
        try await clauses.clause("no connection is unreachable, and was not sent") {
            try await expectFailure(.unreachable, wasSent: false) {
                try await send(TransportRequest("GET", nobody + "/"))
            }
        }
        try await clauses.clause("what is no request is invalidRequest, and was not sent") { try await invalid(base) }
        try await clauses.clause("answers of requests at once are not mixed up") { try await atOnce(base) }
    }

    private func echoes(_ base: String) async throws {
        let every = Array(UInt8.min...UInt8.max)
        for (method, body) in [("GET", nil), ("DELETE", nil), ("POST", every), ("PUT", []), ("PATCH", every)] {
            let fields: HeaderFields = ["X-One": "a b", "Content-Type": "application/octet-stream"]
            var request = TransportRequest(method, base + "/echo", fields: fields, body: body)
            request.fields.add("X-Twice", "one")
            request.fields.add("X-Twice", "two")
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
        // A server may join them: that means the same (RFC 9110, section 5.2).
        let both = echoed["fields"]?["x-twice"]
        try expect(both == ["one", "two"] || both == ["one, two"], "one of two fields of one name is missing")
        let arrived = echoed["body"]?.array?.compactMap(\.integer)
        try expect(arrived == body.map { Int64($0) }, "the body of \(method) arrived otherwise")
    }

    private func invalid(_ base: String) async throws {
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

    private func atOnce(_ base: String) async throws {
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

    func get(_ url: String, deadline: Duration = .seconds(10)) async throws -> TransportResponse {
        try await transport.send(TransportRequest("GET", url), deadline: deadline)
    }

    @discardableResult
    func send(_ request: TransportRequest, deadline: Duration = .seconds(10)) async throws -> TransportResponse {
        try await transport.send(request, deadline: deadline)
    }
}

/// Throws ``Broken`` unless `body` throws that ``/Latchkey/TransportError``.
func expectFailure(
    _ code: TransportError.Code, wasSent: Bool, _ body: () async throws -> Void
) async throws {
    let expected = TransportError(code, wasSent: wasSent)
    let error = try await expectFailure("\"\(expected)\"", body)
    try expect(error == expected, "it threw \"\(error)\" and not \"\(expected)\"")
}

/// Returns the ``/Latchkey/TransportError`` that `body` throws, and throws ``Broken`` unless it does.
@discardableResult
func expectFailure(_ expected: String, _ body: () async throws -> Void) async throws -> TransportError {
    do {
        try await body()
    } catch let error as TransportError {
        return error
    } catch {
        throw Broken("it threw \(Clauses.shown(error)) and not \(expected)")
    }
    throw Broken("it did not throw \(expected)")
}
