import LatchkeyHTTPServer
import LatchkeySystem
import Proofs
import Testing

@Suite("HTTP server")
struct HTTPServerTests {
    /// Tells what it was sent.
    static func echo() throws -> HTTPServer {
        try HTTPServer { request in
            let query = request.queryPairs.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
            let line = "\(request.method) \(request.path) [\(query)] \(request.field("x-one") ?? "-") "
            return .text(line + String(decoding: request.body, as: UTF8.self))
        }
    }

    @Test("A request arrives whole: method, raw path, decoded query with duplicates, fields, body")
    func whole() async throws {
        let server = try Self.echo()
        let client = try RawClient(port: server.port)
        let answer = try await client.request(
            "POST", "/a%2Fb?x=1&x=%C3%BC+2&y", fields: ["X-One: yes"], body: "hello")
        #expect(answer.status == 200)
        #expect(answer.text == "POST /a%2Fb [x=1,x=ü 2,y=] yes hello")
        #expect(answer.field("Date") != nil)
    }

    @Test("A connection is kept for the next request")
    func keepAlive() async throws {
        let server = try Self.echo()
        let client = try RawClient(port: server.port)
        for number in 0..<5 {
            #expect(try await client.request("GET", "/\(number)").text == "GET /\(number) [] - ")
        }
    }

    @Test("A body in chunks arrives whole")
    func chunks() async throws {
        let server = try Self.echo()
        let client = try RawClient(port: server.port)
        await client.write(
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        #expect(try await client.read().text == "POST / [] - abcde")
    }

    struct Refusal: CustomTestStringConvertible {
        var testDescription: String
        var bytes: String
        var status: Int

        init(_ name: String, _ bytes: String, _ status: Int) {
            testDescription = name
            self.bytes = bytes
            self.status = status
        }
    }

    static let refusals: [Refusal] = [
        Refusal("a body above the cap", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n", 413),
        Refusal("a body far above the cap", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99000000\r\n\r\n", 413),
        Refusal(
            "a body above the cap that waits for leave",
            "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 70000\r\n\r\n", 413
        ),
        Refusal("a long target", "GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        Refusal("long fields", "GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 9000))\r\n\r\n", 431),
        Refusal("a query with a broken escape", "GET /?a=%2 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Refusal("a query that is no UTF-8", "GET /?a=%FF HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Refusal("a query with a zero byte", "GET /?a=%00 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Refusal("a path with a NUL", "GET /a\0b HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Refusal("a target that ends with a NUL", "GET /a\0 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Refusal("a NUL before the query", "GET /a\0?b=1 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Refusal("a NUL in the query", "GET /a?b=1\0c HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Refusal("a target that is no path", "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Refusal("two hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
        Refusal("a line feed alone behind the request line", "GET / HTTP/1.1\nHost: x\r\n\r\n", 400),
        Refusal("a line feed alone behind a field", "GET / HTTP/1.1\r\nHost: x\nX: y\r\n\r\n", 400),
        Refusal("line feeds alone", "GET / HTTP/1.1\nHost: x\n\n", 400),
        Refusal("a NUL in a field", "GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\nY: c\r\n\r\n", 400),
        Refusal("a NUL in the last field", "GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n", 400),
        Refusal("a carriage return in a field", "GET / HTTP/1.1\r\nHost: x\r\nX: a\rb\r\n\r\n", 400),
        Refusal("a control character in a field", "GET / HTTP/1.1\r\nHost: x\r\nX: a\u{1}b\r\n\r\n", 400),
        Refusal("a DEL in a field", "GET / HTTP/1.1\r\nHost: x\r\nX: a\u{7F}b\r\n\r\n", 400),
        Refusal("a space before the colon", "GET / HTTP/1.1\r\nHost: x\r\nX : a\r\n\r\n", 400),
        Refusal("a field without a name", "GET / HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n", 400),
        Refusal("a name that is no token", "GET / HTTP/1.1\r\nHost: x\r\nX(: a\r\n\r\n", 400),
        Refusal("a folded field", "GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\nY: c\r\n\r\n", 400),
        Refusal("a method that is no token", "G\u{1}T / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Refusal("two spaces before the target", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        Refusal(
            "a coding that is not known", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n", 501),
        Refusal(
            "a coding before chunks",
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        Refusal("no host", "GET / HTTP/1.1\r\n\r\n", 400),
        Refusal(
            "two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400
        ),
        Refusal(
            "a length beside chunks",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400
        ),
    ]

    @Test("What is too large or malformed is refused before the handler sees it", arguments: refusals)
    func refusal(_ refusal: Refusal) async throws {
        let calls = Locked(0)
        let server = try HTTPServer { _ in
            calls.withLock { $0 += 1 }
            return .text("reached")
        }
        let client = try RawClient(port: server.port)
        await client.write(refusal.bytes)
        if refusal.bytes.contains(": 70000"), !refusal.bytes.contains("Expect") {
            await client.write([UInt8](repeating: 97, count: 70000))
        }
        #expect(try await client.read().status == refusal.status)
        #expect(calls.withLock { $0 } == 0)
    }

    @Test("Many short cookies are answered, and white space around a value is no part of it")
    func cookies() async throws {
        let server = try Self.echo()
        let cookies = (0..<900).map { "a\($0)=b" }.joined(separator: "; ")
        let client = try RawClient(port: server.port)
        let answer = try await client.request(
            "GET", "/", fields: ["Cookie: \(cookies)", "X-One:  \t yes \t", "X-Two:"])
        #expect(answer.status == 200 && answer.text == "GET / [] yes ")
        #expect(try await client.request("GET", "/b").status == 200)
    }

    @Test("Chunks above the cap are refused, and endless ones cut off")
    func endlessChunks() async throws {
        let server = try Self.echo()
        let chunk = "10000\r\n" + String(repeating: "a", count: 0x10000) + "\r\n"
        let head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        let client = try RawClient(port: server.port)
        await client.write(head + chunk + chunk + "0\r\n\r\n")
        #expect(try await client.read().status == 413)
        let endless = try RawClient(port: server.port)
        await endless.write(head + String(repeating: chunk, count: 40))
        #expect(await endless.isClosed())
    }

    @Test("A connection that is not taken ends without a byte, and the next one is looked at anew")
    func accepting() async throws {
        let seen = Locked<[ConnectionEnds]>([])
        let server = try HTTPServer(accepts: { ends in
            seen.withLock { seen in
                seen.append(ends)
                return seen.count > 1 ? .full : .none
            }
        }) { _ in .text("in") }
        let refused = try RawClient(port: server.port)
        await refused.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(await refused.isClosed())
        #expect(try await RawClient(port: server.port).request("GET", "/").text == "in")
        let ends = seen.withLock { $0 }
        let local: [UInt8] = [127, 0, 0, 1]
        #expect(ends.count == 2 && ends[0].peer.port != ends[1].peer.port)
        #expect(ends.allSatisfy { $0.peer.address == local && $0.peer.port != 0 })
        #expect(ends.allSatisfy { $0.own == ConnectionEnds.End(address: local, port: server.port) })
    }

    @Test("Of connections with a mark four are open at once, and none takes the place of one that is served")
    func marked() async throws {
        let counted = Locked(0)
        let server = try HTTPServer(
            limits: ServerLimits(connections: 1),
            accepts: { _ in
                let number = counted.withLock { count in
                    count += 1
                    return count
                }
                return number == 1 ? .full : .marked("stranger")
            }
        ) { .text($0.mark ?? "served") }
        let own = try RawClient(port: server.port)
        var strangers: [RawClient] = []
        for _ in 0..<4 {
            let stranger = try RawClient(port: server.port)
            #expect(try await stranger.request("GET", "/").text == "stranger")
            strangers.append(stranger)
        }
        let fifth = try RawClient(port: server.port)
        await fifth.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(await fifth.isClosed())
        #expect(try await own.request("GET", "/").text == "served")
        #expect(strangers.count == 4)
    }

    @Test(
        "What the server refuses by itself is answered by the given function, with the mark, the target and the fields")
    func refusedByOther() async throws {
        let server = try HTTPServer(
            accepts: { _ in .marked("stranger") },
            refused: { refusal in
                let names = refusal.fields.map(\.name).joined(separator: ",")
                let words = "\(refusal.target ?? "") \(names) \(refusal.mark ?? "")"
                return refusal.status == 431 ? .text(words, status: 431) : nil
            }
        ) { _ in .text("in") }
        let long = String(repeating: "a", count: 9_000)
        let answer = try await RawClient(port: server.port).request("GET", "/a?b", fields: ["X-Long: \(long)"])
        #expect(answer.status == 431 && answer.text == "/a?b Host,X-Long stranger")
        #expect(answer.field("Connection") == "close")
        let other = try await RawClient(port: server.port).request("GET", "/" + long)
        #expect(other.status == 414 && other.text == "The request was refused.\n")
    }

    @Test("No answer means the connection is dropped, without a byte")
    func dropped() async throws {
        let server = try HTTPServer { _ in nil }
        let client = try RawClient(port: server.port)
        await client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(await client.isClosed())
    }

    @Test("A broken answer tells its whole length and ends before it")
    func broken() async throws {
        let server = try HTTPServer { _ in
            var response = ServerResponse.text("0123456789")
            response.breaksAfter = 4
            return response
        }
        let client = try RawClient(port: server.port)
        await #expect(throws: RawClient.Failure.closed) { try await client.request("GET", "/") }
        #expect(client.rest == "0123")
    }

    @Test("A Date given by the handler stands in place of the server's own")
    func date() async throws {
        let server = try HTTPServer { _ in
            var response = ServerResponse.text("late")
            response.set("Date", "Thu, 01 Jan 1970 00:00:01 GMT")
            return response
        }
        let answer = try await RawClient(port: server.port).request("GET", "/")
        #expect(answer.fields.filter { $0.name == "Date" }.map(\.value) == ["Thu, 01 Jan 1970 00:00:01 GMT"])
    }

    @Test("A field that would end its line is not sent")
    func injection() async throws {
        let server = try HTTPServer { _ in .redirect(to: "/a\r\nSet-Cookie: b=c") }
        let answer = try await RawClient(port: server.port).request("GET", "/")
        #expect(answer.status == 500)
        #expect(answer.field("Set-Cookie") == nil)
    }

    @Test("A taken port is named, and free again after the stop")
    func portTaken() async throws {
        let server = try Self.echo()
        let port = server.port
        #expect(throws: HTTPServerError.portTaken(port)) { try HTTPServer(port: port) { _ in nil } }
        server.stop()
        server.stop()
        let next = try HTTPServer(port: port) { _ in .text("next") }
        #expect(try await RawClient(port: port).request("GET", "/").text == "next")
        next.stop()
        #expect(throws: RawClient.Failure.refused) { try RawClient(port: port) }
    }

    /// Whether this machine has the IPv6 loopback at all.
    static let hasIPv6: Bool = {
        guard let server = try? HTTPServer(host: "::1", handler: { _ in nil }) else { return false }
        server.stop()
        return true
    }()

    @Test("The IPv6 loopback is served as well, and alone", .enabled(if: hasIPv6))
    func ipv6() async throws {
        let server = try HTTPServer(host: "::1") { .text($0.path) }
        #expect(try await RawClient(port: server.port, ipv6: true).request("GET", "/six").text == "/six")
        #expect(throws: RawClient.Failure.refused) { try RawClient(port: server.port) }
    }

    @Test(
        "Only loopback literals are listened on", .standard(25),
        arguments: ["0.0.0.0", "localhost", "::", "127.0.0.2", ""])
    func loopbackOnly(host: String) {
        #expect(throws: HTTPServerError.notLoopback) { try HTTPServer(host: host) { _ in nil } }
    }
}
