import Glibc
import Latchkey
import LatchkeyCurl
import LatchkeySystem
import LatchkeyTesting
import Testing

@Suite(
    "HTTP/2 at nginx", .serialized,
    .enabled(if: Gateway.Kind.nginx.isWanted, Comment(rawValue: Gateway.Kind.nginx.missing)))
struct HTTP2Tests {
    /// A client, nginx, and a service behind it.
    struct Scene {
        let service: CountingService
        let nginx: Gateway
        let transport: CurlTransport

        init(holding count: Int = 1, _ options: [String] = []) async throws {
            service = try CountingService(holding: count)
            nginx = try await Gateway.start(.nginx, ["--backend", service.origin] + options)
            transport = CurlTransport(caFile: nginx.caFile)
        }

        func send(
            _ method: String, _ path: String, _ writing: TransportRequest.Writing = .byMethod, _ body: [UInt8]? = nil
        ) async throws -> TransportResponse {
            var request = TransportRequest(method, nginx.url + path, body: body)
            request.writing = writing
            return try await transport.send(request, deadline: .seconds(60))
        }

        /// Sends `count` at once, all but the first one: it opens the connection.
        func crowd(_ count: Int, at once: Int = 64, _ send: @escaping @Sendable (Int) async throws -> Void) async throws
        {
            try await send(0)
            let next = Locked(1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<once {
                    group.addTask {
                        while true {
                            let number = next.withLock { next in
                                defer { next += 1 }
                                return next
                            }
                            guard number < count else { return }
                            try await send(number)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        /// Of each request that nginx has answered: its connection first.
        func log(_ count: Int) async throws -> [[Substring]] {
            try await nginx.lines(of: "access.log", atLeast: count).map { $0.split(separator: " ") }
        }
    }

    private func connections(_ log: [[Substring]]) -> Int { Set(log.map(\.[0])).count }

    @Test("A thousand requests, GET and POST, go over one connection, many at once, and each is received once")
    func oneConnection() async throws {
        let scene = try await Scene()
        try await scene.crowd(1_000) { number in
            let isPost = !number.isMultiple(of: 2)
            let answer = try await scene.send(
                isPost ? "POST" : "GET", "/\(number)", isPost ? .once : .byMethod, isPost ? [0x61] : nil)
            #expect(String(decoding: answer.body, as: UTF8.self) == (isPost ? "POST 1" : "GET 0"))
        }
        let log = try await scene.log(1_000)
        print("http2 requests=\(log.count) connections=\(connections(log)) received=\(scene.service.total)")
        #expect(log.count == 1_000 && connections(log) == 1)
        #expect(log.allSatisfy { $0[1] == "HTTP/2.0" && $0[2] == "200" })
        #expect((0..<1_000).allSatisfy { scene.service.received("/\($0)") == 1 })
    }

    @Test("Sixty-four requests are under way on one connection at the same time")
    func multiplexing() async throws {
        let scene = try await Scene(holding: 64)
        _ = try await scene.send("GET", "/first")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let answer = try await scene.send("POST", "/held/\(number)", .once, [0x61])
                    #expect(answer.status == 200)
                }
            }
            // None of them is answered before all are there.
            try await scene.service.isFull.wait()
            scene.service.release.open()
            try await group.waitForAll()
        }
        let log = try await scene.log(65)
        print("http2 at-once=64 connections=\(connections(log))")
        #expect(log.count == 65 && connections(log) == 1)
    }

    @Test("Content larger than any window arrives whole, and its length is said first", arguments: [70_000, 3_000_000])
    func large(size: Int) async throws {
        let scene = try await Scene()
        _ = try await scene.send("GET", "/first")
        for path in ["/1", "/2"] {
            let answer = try await scene.send("POST", path, .once, [UInt8](repeating: 0x61, count: size))
            #expect(String(decoding: answer.body, as: UTF8.self) == "POST \(size)")
        }
        let log = try await scene.log(3)
        #expect(log.map(\.[5]) == ["-", "\(size)", "\(size)"])
        #expect(connections(log) == 1)
    }

    @Test("A POST that says nothing, and one without content, opens a connection each")
    func alone() async throws {
        let scene = try await Scene()
        _ = try await scene.send("GET", "/first")
        for number in 0..<5 {
            #expect(try await scene.send("POST", "/\(number)", .byMethod, [0x61]).status == 200)
            #expect(try await scene.send("POST", "/empty/\(number)", .once).status == 200)
        }
        let log = try await scene.log(11)
        #expect(log.count == 11 && connections(log) == 11)
        #expect(scene.service.total == 11)
    }

    @Test("Connections that end by GOAWAY between requests cost none of them", arguments: ["GET", "POST"])
    func goAwayBetween(method: String) async throws {
        let scene = try await Scene(["--requests", "20"])
        for number in 0..<200 {
            #expect(try await scene.send(method, "/\(number)", .once, [0x61]).status == 200)
        }
        let log = try await scene.log(200)
        print("http2 goaway-between method=\(method) requests=\(log.count) connections=\(connections(log))")
        #expect(log.count == 200 && connections(log) == 10)
        #expect((0..<200).allSatisfy { scene.service.received("/\($0)") == 1 })
    }

    @Test("A GOAWAY with requests under way: each POST is received once or not at all, and told so")
    func goAwayWithin() async throws {
        let scene = try await Scene(["--requests", "50"])
        let counted = Locked((answered: 0, unanswered: 0, lost: 0))
        try await scene.crowd(1_000, at: 20) { number in
            var failure: TransportError?
            do {
                let answer = try await scene.send("POST", "/\(number)", .once, [0x61])
                #expect(answer.status == 200)
            } catch let error as TransportError {
                failure = error
            }
            let received = scene.service.received("/\(number)")
            switch (failure, received) {
            case (nil, 1): counted.withLock { $0.answered += 1 }
            case (TransportError(.interrupted, wasSent: true), 1): counted.withLock { $0.unanswered += 1 }
            case (TransportError(.interrupted, wasSent: true), 0): counted.withLock { $0.lost += 1 }
            default:
                Issue.record("\(number): \(failure.map { "\($0)" } ?? "answered"), received \(received) times")
            }
        }
        let total = scene.service.total
        let (answered, unanswered, lost) = counted.withLock { ($0.answered, $0.unanswered, $0.lost) }
        let log = try await scene.log(answered)
        print(
            "http2 goaway-within posts=1000 received=\(total) answered=\(answered) unanswered=\(unanswered) lost=\(lost)"
                + " connections=\(connections(log)) twice=0")
        #expect((0..<1_000).allSatisfy { scene.service.received("/\($0)") <= 1 })
        // Fifty to a connection, and what is lost counts as well.
        #expect(answered >= 500 && connections(log) >= 10)
    }

    @Test("A GET that a GOAWAY refuses is sent again, and answered")
    func goAwayRepeats() async throws {
        let scene = try await Scene(["--requests", "50"])
        try await scene.crowd(1_000, at: 20) { number in
            let answer = try await scene.send("GET", "/\(number)")
            #expect(answer.status == 200)
        }
    }

    @Test("A server that starts its workers anew answers what is under way, and the next request has a new connection")
    func reload() async throws {
        let scene = try await Scene(holding: 10)
        _ = try await scene.send("GET", "/first")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                group.addTask {
                    let answer = try await scene.send("POST", "/held/\(number)", .once, [0x61])
                    #expect(answer.status == 200)
                }
            }
            try await scene.service.isFull.wait()
            try scene.nginx.signal(SIGHUP)
            let isLeaving = try await Child.poll(within: 60) { () -> Bool? in
                (try? scene.nginx.lines(of: "server.log"))?.contains { $0.contains("gracefully shutting down") } == true
                    ? true : nil
            }
            #expect(isLeaving == true)
            scene.service.release.open()
            try await group.waitForAll()
        }
        #expect(try await scene.send("GET", "/last").status == 200)
        let log = try await scene.log(12)
        #expect(log.count == 12 && connections(log) == 2)
        #expect((0..<10).allSatisfy { scene.service.received("/held/\($0)") == 1 })
    }
}
