import CCurl
import Latchkey
import LatchkeySystem
import Proofs
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@testable import LatchkeyCurl

@Suite("libcurl transport: what goes wrong")
struct CurlFailureTests {
    static func failure(
        _ request: TransportRequest, over transport: CurlTransport = CurlTransport(), deadline: Duration = .seconds(10)
    ) async -> TransportError? {
        do {
            let answer = try await transport.send(request, deadline: deadline)
            Issue.record("An answer came: \(answer)")
            return nil
        } catch {
            return error as? TransportError
        }
    }

    @Test("Nobody listens, or there is no such name: unreachable, not sent")
    func unreachable() async throws {
        let refused = try await RawServer.withDeadPort { port in
            await Self.failure(TransportRequest("POST", "http://127.0.0.1:\(port)"))
        }
        let unknown = await Self.failure(TransportRequest("POST", "http://nowhere.invalid."))
        for error in [refused, unknown] { #expect(error == TransportError(.unreachable, wasSent: false)) }
        #expect(refused?.cause == .connectionRefused && unknown?.cause == .noSuchHost)
    }

    @Test("Each verdict on a certificate has its cause, and an unknown one has none")
    func verdicts() {
        let rows: [(Int, String, TransportError.Cause?)] = [
            (10, "", .certificateExpired), (9, "", .certificateNotYetValid), (18, "", .certificateSelfSigned),
            (19, "", .certificateUntrusted), (20, "", .certificateUntrusted), (62, "", .certificateForAnotherHost),
            (1, "no alternative certificate subject name matches", .certificateForAnotherHost), (0, "", nil),
            (99, "", nil),
        ]
        for (number, words, cause) in rows {
            let found = CurlFailure.cause(
                CURLE_PEER_FAILED_VERIFICATION, words: words, host: "a", systemError: 0, certificateError: number)
            #expect(found == cause, "\(number)")
        }
        for (words, cause) in [
            ("Failed to connect to ID.example.com port 443 after 1 ms", TransportError.Cause.noRoute),
            ("Failed to connect to proxy.example.com port 3128 after 1 ms", .proxy),
        ] {
            let found = CurlFailure.cause(
                CURLE_COULDNT_CONNECT, words: words, host: "id.example.com", systemError: Int(ENETUNREACH),
                certificateError: 0)
            #expect(found == cause)
        }
    }

    @Test(
        "A connection that breaks after the request went out: interrupted, may have been sent, seen once",
        arguments: [
            RawServer.Reply.close,
            .bytesAndClose("HTTP/1.1 200 O"),
            .bytesAndClose("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"),
            .bytesAndClose("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"),
            .bytesAndClose("SSH-2.0-OpenSSH_9.2\r\n"),
        ])
    func interrupted(reply: RawServer.Reply) async throws {
        let server = try RawServer { _ in reply }
        let error = await Self.failure(TransportRequest("POST", server.url, body: Array("once=1".utf8)))
        #expect(error == TransportError(.interrupted, wasSent: true))
        #expect(server.requests.count == 1)
    }

    @Test(
        "A POST after the kept connection died is sent once, whatever happens to it", .law(1), arguments: ["a=b", nil])
    func once(body: String?) async throws {
        let server = try RawServer { number in
            number == 1 ? .bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") : .close
        }
        let transport = CurlTransport()
        _ = try await transport.send(TransportRequest("GET", server.url), deadline: .seconds(10))
        let error = await Self.failure(
            TransportRequest("POST", server.url, body: body.map { Array($0.utf8) }), over: transport)
        #expect(error == TransportError(.interrupted, wasSent: true))
        #expect(server.requests.count { $0.hasPrefix("POST") } == 1)
    }

    @Test("A GET that must not be repeated is sent once, and not on the connection of the same GETs before it")
    func onceThough() async throws {
        let server = try RawServer { number in
            number <= 2 ? .bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") : .close
        }
        let transport = CurlTransport()
        var request = TransportRequest("GET", server.url)
        _ = try await transport.send(request, deadline: .seconds(10))
        request.mayBeRepeated = false
        _ = try await transport.send(request, deadline: .seconds(10))
        #expect(server.connections == 2)
        let error = await Self.failure(request, over: transport)
        #expect(error == TransportError(.interrupted, wasSent: true))
        #expect(server.requests.count == 3)
    }

    @Test("A GET on a connection that died is repeated by libcurl: that is why a POST has its own")
    func repeats() async throws {
        let server = try RawServer { number in
            number == 2 ? .close : .bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        let transport = CurlTransport()
        for _ in 0..<2 {
            let answer = try await transport.send(TransportRequest("GET", server.url), deadline: .seconds(10))
            #expect(answer.status == 200)
        }
        #expect(server.requests.count == 3)
    }

    @Test("No answer before the deadline: timed out, and sent if the request went out", .law(14))
    func timedOut() async throws {
        let server = try RawServer { _ in .hang }
        var deadline = Duration.milliseconds(150)
        var error = await Self.failure(TransportRequest("GET", server.url), deadline: deadline)
        // On a busy machine it may not have gone out by then.
        while error == TransportError(.timedOut, wasSent: false), deadline < .seconds(30) {
            deadline *= 4
            error = await Self.failure(TransportRequest("GET", server.url), deadline: deadline)
        }
        #expect(error == TransportError(.timedOut, wasSent: true))
        await server.waitUntilLeft(1)
        let atOnce = await Self.failure(TransportRequest("GET", server.url), deadline: .zero)
        #expect(atOnce == TransportError(.timedOut, wasSent: false))
        #expect(server.requests.count == 1)
    }

    @Test("No connection within its own limit: timed out and not sent, long before the deadline of the request")
    func connecting() async throws {
        // It takes the connection, and never answers the handshake.
        let server = try RawServer { _ in .hang }
        var settings = CurlSettings()
        settings.connectLimit = .milliseconds(200)
        let transport = CurlTransport(settings, context: .system, whenStopped: {})
        let url = server.url.replacing("http:", with: "https:")
        let deadline = Duration.seconds(3_600)
        let error = await Self.failure(TransportRequest("POST", url), over: transport, deadline: deadline)
        #expect(error == TransportError(.timedOut, wasSent: false))
        #expect(server.requests.isEmpty)
    }

    @Test("A request that waited for a connection past its deadline was not sent")
    func queued() async throws {
        let server = try RawServer { _ in .hang }
        let transport = CurlTransport(connectionsPerHost: 1)
        let url = server.url
        let first = Task { try await transport.send(TransportRequest("POST", url), deadline: .seconds(60)) }
        while server.requests.isEmpty { await Task.yield() }
        let second = await Self.failure(TransportRequest("POST", url), over: transport, deadline: .milliseconds(200))
        #expect(second == TransportError(.timedOut, wasSent: false))
        first.cancel()
        _ = await first.result
        #expect(server.requests.count == 1)
    }

    @Test("An answer above the cap is too large, and the rest is not read", .law(14))
    func tooLarge() async throws {
        let server = try RawServer { _ in .flood(10 << 20) }
        let error = await Self.failure(TransportRequest("GET", server.url))
        #expect(error == TransportError(.tooLarge, wasSent: true))
        let small = CurlTransport(sizeCap: 1)
        let answers = try RawServer { number in
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: \(number)\r\n\r\n" + String(repeating: "a", count: number))
        }
        #expect(try await small.send(TransportRequest("GET", answers.url), deadline: .seconds(10)).body.count == 1)
        #expect(await Self.failure(TransportRequest("GET", answers.url), over: small)?.code == .tooLarge)
    }

    @Test("A head without end is too large", .standard(52))
    func longHead() async throws {
        let line = "X-Long: \(String(repeating: "a", count: 8000))\r\n"
        let server = try RawServer { _ in
            .bytesAndClose("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 40) + "\r\n")
        }
        #expect(await Self.failure(TransportRequest("GET", server.url))?.code == .tooLarge)
    }

    @Test("Cancelling gives the request up and throws CancellationError")
    func cancelled() async throws {
        let server = try RawServer { _ in .hang }
        let transport = CurlTransport()
        let url = server.url
        let task = Task { try await transport.send(TransportRequest("GET", url), deadline: .seconds(60)) }
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await server.waitUntilLeft(1)
        let early = Task { try await transport.send(TransportRequest("GET", url), deadline: .seconds(60)) }
        early.cancel()
        await #expect(throws: CancellationError.self) { try await early.value }
    }

    static let refused: [TransportRequest] = [
        TransportRequest("GET", "ftp://127.0.0.1/"), TransportRequest("GET", "file:///etc/passwd"),
        TransportRequest("GET", "gopher://127.0.0.1/"), TransportRequest("GET", "127.0.0.1/"),
        TransportRequest("GET", ""),
        TransportRequest("GET", "http://user:word@127.0.0.1/"), TransportRequest("GET", "http://127.0.0.1/a b"),
        TransportRequest("GET", "http://127.0.0.1/\r\nX: y"), TransportRequest("GET", "http://127.0.0.1/\0"),
        TransportRequest("GET", "http://127.0.0.1/ü"), TransportRequest("GET", "http://127.0.0.1:0/"),
        TransportRequest("GET\r\nX: y", "http://127.0.0.1/"), TransportRequest("", "http://127.0.0.1/"),
        TransportRequest("GET /", "http://127.0.0.1/"), TransportRequest("CONNECT", "http://127.0.0.1/"),
        TransportRequest("HEAD", "http://127.0.0.1/", body: [1]),
    ]

    @Test("A malformed method or address, or another scheme, is refused before anything is sent", arguments: refused)
    func malformed(request: TransportRequest) async {
        #expect(await Self.failure(request) == TransportError(.invalidRequest, wasSent: false))
    }

    @Test("A URL that Unicode holds for one of before, and is not ASCII, is refused too")
    func equivalent() async throws {
        let server = try RawServer { _ in .bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        let transport = CurlTransport()
        _ = try await transport.send(TransportRequest("GET", "\(server.url)/K"), deadline: .seconds(10))
        // U+212A, the sign of the unit kelvin.
        let refusal = await Self.failure(TransportRequest("GET", "\(server.url)/\u{212A}"), over: transport)
        #expect(refusal == TransportError(.invalidRequest, wasSent: false))
        #expect(server.requests.count == 1)
    }

    @Test(
        "A field that would make another line, or say another length, is refused before anything is sent",
        arguments: [
            ("X", "a\r\nY: b"), ("X", "a\nb"), ("X", "a\rb"), ("X", "a\0b"), ("X", "\u{7F}"), ("X:", "a"), ("X Y", "a"),
            ("", "a"), ("X\r\nY", "a"), ("X\0", "a"), ("Ü", "a"), ("Content-Length", "5"), ("content-length", "0, 5"),
            ("Transfer-Encoding", "chunked"), ("Connection", "x-secret"), ("Expect", "100-continue"),
        ])
    func injection(name: String, value: String) async throws {
        let server = try RawServer { _ in .close }
        let request = TransportRequest("POST", server.url, fields: HeaderFields([(name, value)]))
        #expect(await Self.failure(request) == TransportError(.invalidRequest, wasSent: false))
        #expect(server.connections == 0)
    }
}
