import Latchkey
import LatchkeyCurl
import LatchkeyTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct LocalServerTests {
    private typealias Reply = LocalServer.Reply

    private let transport = CurlTransport()
    private let soon = Duration.seconds(20)

    private func text(_ status: Int, _ body: String) -> TransportResponse {
        TransportResponse(status: status, body: Array(body.utf8))
    }

    @Test("A client gets what the closure answers, and the server notes what it sent")
    func answering() async throws {
        try await LocalServer.with { request in
            .answer(TransportResponse(status: 201, fields: ["X-Method": request.method], body: request.body))
        } during: { server in
            let request = TransportRequest(
                "POST", server.url + "/token?a=b?c", fields: ["X-Odd": " ü: é "], body: Array("content".utf8))
            let answer = try await transport.send(request, deadline: soon)
            #expect(answer.status == 201)
            #expect(answer.fields["x-method"] == "POST")
            #expect(answer.body == Array("content".utf8))
            let seen = try #require(server.requests.first)
            #expect(server.requests.count == 1)
            #expect((seen.method, seen.path, seen.query) == ("POST", "/token", "a=b?c"))
            #expect(seen.fields["x-odd"] == "ü: é")
            #expect(seen.body == Array("content".utf8))
        }
    }

    @Test("One connection carries request after request, and many come at once")
    func many() async throws {
        let all = Latch()
        try await LocalServer.with { request in
            if request.path == "/held" { try await all.wait() }
            return .answer(TransportResponse(status: 200, body: Array(request.path.utf8)))
        } during: { server in
            for number in 0..<20 {
                let answer = try await transport.send(
                    TransportRequest("GET", "\(server.url)/\(number)"), deadline: soon)
                #expect(answer.body == Array("/\(number)".utf8))
            }
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await transport.send(TransportRequest("GET", server.url + "/held"), deadline: soon)
                    }
                }
                try await server.waitForRequests(28)
                all.open()
                for try await answer in group { #expect(answer.status == 200) }
            }
        }
    }

    @Test("A large content arrives whole, both ways")
    func large() async throws {
        let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 >> 8 ^ $0) }
        try await LocalServer.with {
            .answer(TransportResponse(status: 200, body: Array($0.body.prefix(900_000))))
        } during: { server in
            let answer = try await transport.send(
                TransportRequest("POST", server.url + "/", body: content), deadline: soon)
            #expect(answer.body == Array(content.prefix(900_000)))
            #expect(server.requests.first?.body == content)
        }
    }

    @Test("It can hang up, answer half, and answer what is no HTTP")
    func breaking() async throws {
        let whole = text(200, "0123456789")
        let replies: [String: Reply] = [
            "/up": .hangUp, "/half": .half(whole), "/odd": .bytes(Array("SSH-2.0-x\r\n".utf8)), "/none": .bytes([]),
        ]
        try await LocalServer.with {
            replies[$0.path] ?? .answer(whole)
        } during: { server in
            for path in replies.keys.sorted() {
                await #expect(throws: TransportError.self, "\(path)") {
                    try await transport.send(TransportRequest("POST", server.url + path), deadline: soon)
                }
            }
            let answer = try await transport.send(TransportRequest("GET", server.url + "/"), deadline: soon)
            #expect(answer.body == Array("0123456789".utf8))
        }
    }

    @Test("An error of the closure hangs up")
    func throwing() async throws {
        try await LocalServer.with { _ in
            throw CancellationError()
        } during: { server in
            await #expect(throws: TransportError.self) {
                try await transport.send(TransportRequest("POST", server.url + "/"), deadline: soon)
            }
        }
    }

    @Test("A status without content, and the answer to HEAD, have none")
    func withoutContent() async throws {
        try await LocalServer.with {
            .answer(text($0.path == "/none" ? 204 : 200, "content"))
        } during: { server in
            for (method, path) in [("GET", "/none"), ("HEAD", "/"), ("DELETE", "/none")] {
                let answer = try await transport.send(TransportRequest(method, server.url + path), deadline: soon)
                #expect(answer.body.isEmpty)
            }
            #expect(try await transport.send(TransportRequest("GET", server.url + "/"), deadline: soon).body.count == 7)
        }
    }

    @Test("Whatever it is doing ends with its scope: waiting, being silent, being asked")
    func stopping() async throws {
        let never = Latch()
        let url = try await LocalServer.with { request in
            if request.path == "/held" { try await never.wait() }
            return .silence
        } during: { server in
            for path in ["/held", "/silent"] {
                let request = TransportRequest("POST", server.url + path)
                Task { try await transport.send(request, deadline: .seconds(30)) }
            }
            try await server.waitForRequests(2)
            return server.url
        }
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(TransportRequest("POST", url + "/"), deadline: soon)
        }
        #expect(error?.wasSent == false)
    }

    @Test("Its scope ends with the error of the work")
    func failing() async throws {
        await #expect(throws: CancellationError.self) {
            try await LocalServer.with { _ in
                .hangUp
            } during: { _ in
                throw CancellationError()
            }
        }
    }
}
