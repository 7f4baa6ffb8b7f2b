import Latchkey
import LatchkeySystem
import Proofs
import Testing

@testable import LatchkeyCurl

@Suite("libcurl transport: requests that are written once, over kept connections")
struct WrittenOnceTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    private static func once(_ url: String, _ body: [UInt8]?, by method: String = "POST") -> TransportRequest {
        var request = TransportRequest(method, url, body: body)
        request.writing = .once
        return request
    }

    /// Opens the connection that is kept.
    private static func get(_ url: String, over transport: CurlTransport) async throws {
        let answer = try await transport.send(TransportRequest("GET", url), deadline: .seconds(30))
        #expect(answer.status == 200)
    }

    @Test(
        "Whatever its method and its size, it is whole, and says its length first",
        arguments: ["POST", "PUT", "PATCH", "DELETE", "GET", "LOCK"], [1, 1_000, 70_000, 3_000_000])
    func whole(method: String, size: Int) async throws {
        let server = try RawServer { _ in .bytes(Self.answer) }
        let transport = CurlTransport()
        try await Self.get(server.url, over: transport)
        for letter in [0x61, 0x62] as [UInt8] {
            let body = [UInt8](repeating: letter, count: size)
            let request = Self.once(server.url, body, by: method)
            #expect(try await transport.send(request, deadline: .seconds(30)).status == 200)
            let sent = Array(try #require(server.requests.last).utf8)
            let end = try #require(RawServer.headEnd(sent))
            let head = String(decoding: sent[..<end], as: UTF8.self)
            #expect(head.hasPrefix("\(method) / HTTP/1.1\r\n"))
            #expect(head.contains("\r\nContent-Length: \(size)"))
            for field in ["Transfer-Encoding", "Expect", "Content-Type"] { #expect(!head.contains(field)) }
            #expect(sent[(end + 4)...].elementsEqual(body))
        }
        #expect(server.requests.count == 3)
        #expect(server.connections == 1)
    }

    @Test("Without content it has a connection of its own", arguments: [nil, []] as [[UInt8]?])
    func empty(body: [UInt8]?) async throws {
        let server = try RawServer { _ in .bytes(Self.answer) }
        let transport = CurlTransport()
        try await Self.get(server.url, over: transport)
        let answer = try await transport.send(Self.once(server.url, body), deadline: .seconds(30))
        #expect(answer.status == 200)
        #expect(server.connections == 2)
    }

    @Test(
        "A POST that says nothing, as what providers send with a credential, has a connection of its own", .law(1),
        arguments: [TransportRequest.Writing.byMethod, .onceOnNewConnection])
    func alone(writing: TransportRequest.Writing) async throws {
        let server = try RawServer { _ in .bytes(Self.answer) }
        let transport = CurlTransport()
        try await Self.get(server.url, over: transport)
        for _ in 0..<2 {
            var request = TransportRequest("POST", server.url, body: Array("grant_type=refresh_token".utf8))
            request.writing = writing
            #expect(try await transport.send(request, deadline: .seconds(30)).status == 200)
        }
        #expect(server.connections == 3)
    }

    @Test(
        "A kept connection that ends while it is written, a thousand times: received once or not at all, and told so",
        .law(9))
    func ends() async throws {
        let server = try ClosingServer()
        let transport = CurlTransport()
        let body = [UInt8](repeating: 0x61, count: 20_000)
        var (answered, received, unanswered, lost) = (0, 0, 0, 0)
        for round in 0..<1_000 {
            let url = "\(server.url)/\(round)"
            try await Self.get(url, over: transport)
            var failure: TransportError?
            do {
                let answer = try await transport.send(Self.once(url, body), deadline: .seconds(30))
                #expect(answer.status == 200)
            } catch {
                failure = try #require(error as? TransportError)
            }
            let sight = server.sight(round)
            #expect(sight.heads <= 1 && sight.wholes <= sight.heads, "round \(round): \(sight)")
            received += sight.wholes
            switch (failure, sight.wholes) {
            case (nil, 1): answered += 1
            case (TransportError(.interrupted, wasSent: true), 1): unanswered += 1
            case (TransportError(.interrupted, wasSent: true), _): lost += 1
            default: Issue.record("round \(round): \(failure.map { "\($0)" } ?? "answered"), \(sight)")
            }
            // Seen to its end, and kept from the client that it was.
            if ClosingServer.Moment.of(round) == .whole { #expect(failure != nil && sight.wholes == 1) }
        }
        print(
            "kept connection ends: rounds=1000 received=\(received) answered=\(answered) unanswered=\(unanswered)"
                + " lost=\(lost) twice=0")
        #expect(answered + unanswered == received && received + lost == 1_000)
        #expect(unanswered >= 250 && lost >= 250)
    }

    @Test("A POST that may be written twice is, over another connection, when the kept one turns out to be dead")
    func twice() async throws {
        let server = try RawServer { number in number == 2 ? .close : .bytes(Self.answer) }
        let transport = CurlTransport()
        try await Self.get(server.url, over: transport)
        var request = TransportRequest("POST", server.url, body: Array("key=1".utf8))
        request.writing = .twice
        #expect(try await transport.send(request, deadline: .seconds(30)).status == 200)
        #expect(server.requests.count { $0.hasPrefix("POST") } == 2)
        #expect(server.connections == 2)
    }

    @Test(
        "What must not be repeated, or has a precondition, is not written twice, whatever its method",
        arguments: [(false, [:]), (true, ["If-Match": "\"a\""])] as [(Bool, HeaderFields)])
    func careful(mayBeRepeated: Bool, fields: HeaderFields) async throws {
        let server = try RawServer { number in number == 1 ? .bytes(Self.answer) : .close }
        let transport = CurlTransport()
        try await Self.get(server.url, over: transport)
        var request = TransportRequest("PUT", server.url, fields: fields, body: [0x61])
        request.mayBeRepeated = mayBeRepeated
        let error = await CurlFailureTests.failure(request, over: transport)
        #expect(error == TransportError(.interrupted, wasSent: true))
        #expect(server.requests.count == 2)
    }

    @Test("After one that failed, others go out as ever, to the same place and to others")
    func afterwards() async throws {
        let other = try RawServer { _ in .bytes(Self.answer) }
        let transport = CurlTransport()
        for _ in 0..<5 {
            // Nobody listens there any more when libcurl comes back.
            var dying: RawServer? = try RawServer { number in number == 1 ? .bytes(Self.answer) : .close }
            let url = try #require(dying?.url)
            try await Self.get(url, over: transport)
            dying = nil
            let error = await CurlFailureTests.failure(Self.once(url, [0x61]), over: transport)
            #expect(error == TransportError(.interrupted, wasSent: true))
            for _ in 0..<3 {
                let answer = try await transport.send(Self.once(other.url, [0x62]), deadline: .seconds(30))
                #expect(answer.status == 200)
            }
        }
        #expect(other.requests.count == 15)
        #expect(other.connections == 1)
    }

    @Test(
        "Many at once over few connections: each is received once, with its own content, and none is left waiting",
        .law(14))
    func parallel() async throws {
        for connections in [2, 3, 4, 6, 8, 12] {
            let server = try RawServer { _ in .bytes(Self.answer) }
            let transport = CurlTransport(connectionsPerHost: connections)
            let url = server.url
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let request = Self.once("\(url)/\(number)", Array("<\(number)>".utf8))
                        let answer = try await transport.send(request, deadline: .seconds(30))
                        #expect(answer.status == 200)
                    }
                }
                try await group.waitForAll()
            }
            let bodies = server.requests.compactMap { $0.split(separator: "\r\n\r\n").last.map(String.init) }
            #expect(bodies.sorted() == (0..<200).map { "<\($0)>" }.sorted())
            #expect(server.connections <= connections)
        }
    }

    @Test("One that is given up is not written again, and the next one has another connection")
    func givenUp() async throws {
        let server = try RawServer { number in number == 2 ? .hang : .bytes(Self.answer) }
        let transport = CurlTransport()
        try await Self.get(server.url, over: transport)
        let request = Self.once(server.url, [0x61])
        let hanging = Task { try await transport.send(request, deadline: .seconds(60)) }
        while server.requests.count < 2 { await Task.yield() }
        hanging.cancel()
        await #expect(throws: CancellationError.self) { _ = try await hanging.value }
        await server.waitUntilLeft(1)
        #expect(try await transport.send(request, deadline: .seconds(30)).status == 200)
        #expect(server.requests.count == 3)
        #expect(server.connections == 2)
    }
}
