import Latchkey
import LatchkeyHTTPServer
import LatchkeySystem
import Proofs
import Testing

@testable import LatchkeyCurl

@Suite("libcurl transport: what it carries")
struct CurlTransportTests {
    @Test("a name below localhost is this machine, with and without a proxy in the settings")
    func belowLocalhost() async throws {
        for transport in [CurlTransport(), CurlTransport(proxy: "http://127.0.0.1:1")] {
            let server = try RawServer { _ in .bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
            let url = server.url.replacing("127.0.0.1", with: "auth.localhost")
            let answer = try await transport.send(TransportRequest("GET", url), deadline: .seconds(10))
            #expect(answer.status == 200 && url.contains("auth.localhost"))
        }
    }

    /// Tells what it was sent, on two lines of header with one name.
    static func echo() throws -> HTTPServer {
        try HTTPServer { request in
            let type = request.field("content-type") ?? "-"
            let line = "\(request.method) \(request.rawTarget) \(type) \(request.field("content-length") ?? "-") "
            return ServerResponse(
                status: 207, fields: [("X-Twice", "one"), ("X-Between", "-"), ("X-Twice", " two , three ")],
                body: Array(line.utf8) + request.body)
        }
    }

    @Test(
        "Every method arrives as it was named, with its body and no content type of its own",
        arguments: [
            ("GET", nil, "GET /a/../b?c=%20d - - "), ("DELETE", nil, "DELETE /a/../b?c=%20d - - "),
            ("PUT", "x", "PUT /a/../b?c=%20d - 1 x"), ("POST", nil, "POST /a/../b?c=%20d - 0 "),
            ("POST", "a=b", "POST /a/../b?c=%20d - 3 a=b"), ("PATCH", "y", "PATCH /a/../b?c=%20d - 1 y"),
        ])
    func methods(method: String, body: String?, expected: String) async throws {
        let server = try Self.echo()
        let request = TransportRequest(
            method, "http://127.0.0.1:\(server.port)/a/../b?c=%20d#e", body: body.map { Array($0.utf8) })
        let answer = try await CurlTransport().send(request, deadline: .seconds(10))
        #expect(answer.status == 207)
        #expect(String(decoding: answer.body, as: UTF8.self) == expected)
    }

    @Test("An answer to HEAD has fields and no body, and its length is not waited for")
    func head() async throws {
        let server = try RawServer { _ in .bytes("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\nA: b\r\n\r\n") }
        let answer = try await CurlTransport().send(TransportRequest("HEAD", server.url), deadline: .seconds(10))
        #expect(answer.body.isEmpty)
        #expect(answer.fields["a"] == "b")
    }

    @Test(
        "An answer that ends within its head is none, whatever its status line says",
        arguments: ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"])
    func cutHead(head: String) async throws {
        let server = try RawServer { _ in .bytesAndClose(head) }
        let error = await #expect(throws: TransportError.self) {
            try await CurlTransport().send(TransportRequest("POST", server.url), deadline: .seconds(10))
        }
        #expect(error?.wasSent == true)
    }

    @Test("Repeated header lines keep their order, in both directions")
    func repeated() async throws {
        let server = try Self.echo()
        let transport = CurlTransport()
        let answer = try await transport.send(
            TransportRequest("GET", "http://127.0.0.1:\(server.port)/"), deadline: .seconds(10))
        #expect(answer.fields.all("x-twice") == ["one", "two , three"])
        let raw = try RawServer { _ in .bytes("HTTP/1.1 204 No\r\n\r\n") }
        let fields = HeaderFields([("X-B", "1"), ("X-A", "2"), ("X-Empty", ""), ("X-B", "3")])
        _ = try await transport.send(TransportRequest("GET", raw.url, fields: fields), deadline: .seconds(10))
        #expect(raw.requests.first?.contains("X-B: 1\r\nX-A: 2\r\nX-Empty:\r\nX-B: 3\r\n") == true)
        #expect(raw.requests.first?.contains("Cookie") == false)
    }

    @Test("A large body is sent without waiting for leave, and a set cookie is not sent back")
    func plain() async throws {
        let server = try RawServer { _ in .bytes("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n") }
        let transport = CurlTransport()
        let body = [UInt8](repeating: 0x78, count: 200_000)
        for _ in 0..<2 {
            _ = try await transport.send(TransportRequest("PUT", server.url, body: body), deadline: .seconds(10))
        }
        #expect(server.requests.count == 2)
        for request in server.requests {
            #expect(!request.contains("Expect"))
            #expect(!request.contains("Cookie"))
            #expect(request.contains("\r\nAccept-Encoding: gzip\r\n"))
            #expect(request.utf8.count > 200_000)
        }
    }

    @Test("A redirect is returned as it is", .standard(19), arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let server = try RawServer { _ in
            .bytes("HTTP/1.1 \(status) Go\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
        }
        let answer = try await CurlTransport().send(TransportRequest("GET", server.url), deadline: .seconds(10))
        #expect(answer.status == status)
        #expect(answer.fields["Location"] == "/elsewhere")
        #expect(server.requests.count == 1)
    }

    @Test("Only the last head counts: interim answers and trailers leave no fields")
    func heads() async throws {
        let server = try RawServer { _ in
            .bytes(
                "HTTP/1.1 103 Early\r\nLink: early\r\n\r\nHTTP/1.1 200 OK\r\nA: one\r\n two\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nTrailing: late\r\n\r\n")
        }
        let answer = try await CurlTransport().send(TransportRequest("GET", server.url), deadline: .seconds(10))
        #expect(answer.fields["Link"] == nil)
        #expect(answer.fields["Trailing"] == nil)
        #expect(answer.fields["A"] == "one two")
        #expect(answer.body == Array("hi".utf8))
    }

    @Test("Requests that may be repeated share a connection; a POST has its own")
    func reuse() async throws {
        let server = try RawServer { _ in .bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        let transport = CurlTransport()
        for _ in 0..<5 { _ = try await transport.send(TransportRequest("GET", server.url), deadline: .seconds(10)) }
        #expect(server.connections == 1)
        _ = try await transport.send(TransportRequest("POST", server.url), deadline: .seconds(10))
        #expect(server.connections == 2)
    }

    @Test("Two hundred at once, over few connections, each with its own answer")
    func parallel() async throws {
        let server = try Self.echo()
        let transport = CurlTransport(connectionsPerHost: 8)
        let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let method = number.isMultiple(of: 4) ? "POST" : "GET"
                    let answer = try await transport.send(
                        TransportRequest(method, "http://127.0.0.1:\(server.port)/\(number)"), deadline: .seconds(30))
                    return String(decoding: answer.body, as: UTF8.self).hasPrefix("\(method) /\(number) ")
                }
            }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(answers.count == 200)
        #expect(answers.allSatisfy { $0 })
    }

    @Test("Dropping the transport ends its thread")
    func stops() async throws {
        let server = try Self.echo()
        await withCheckedContinuation { continuation in
            let transport = CurlTransport(CurlSettings(), context: .system) { continuation.resume() }
            PluginContext.system.start("request") {
                _ = try? await transport.send(
                    TransportRequest("GET", "http://127.0.0.1:\(server.port)/"), deadline: .seconds(10))
            }
        }
    }
}
