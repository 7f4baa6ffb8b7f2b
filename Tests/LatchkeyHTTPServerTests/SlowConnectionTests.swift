import FoundationEssentials
import Latchkey
import LatchkeyHTTPServer
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Connections that take their time", .timeLimit(.minutes(2)))
struct SlowConnectionTests {
    /// A server whose clock is moved by hand, with five seconds for a request.
    static func server(
        _ clock: ManualClock, connections: UInt32 = 256,
        handler: @escaping @Sendable (ServerRequest) async -> ServerResponse? = { .text($0.path) }
    ) throws -> HTTPServer {
        let origin = clock.now()
        let time = ServerTime(now: { clock.now() - origin }, sleep: { try await clock.sleep(until: origin + $0) })
        return try HTTPServer(
            limits: ServerLimits(connections: connections, requestTime: .seconds(5)), time: time, handler: handler)
    }

    @Test(
        "a request that is not in after its time ends the connection, though bytes keep coming", .standard(27),
        arguments: [
            "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\nX: ", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na",
            "",
        ])
    func late(beginning: String) async throws {
        let clock = ManualClock()
        let calls = Locked(0)
        let server = try Self.server(clock) { _ in
            calls.withLock { $0 += 1 }
            return .text("reached")
        }
        let client = try RawClient(port: server.port)
        await client.write(beginning)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(4))
        await client.write("a")
        clock.advance(by: .seconds(1))
        #expect(await client.isClosed())
        #expect(calls.withLock { $0 } == 0)
    }

    @Test("the answer may take as long as it likes")
    func longAnswer() async throws {
        let clock = ManualClock()
        let (arrived, goOn) = (Latch(), Latch())
        let server = try Self.server(clock) { _ in
            arrived.open()
            try? await goOn.wait()
            return .text("at last")
        }
        let client = try RawClient(port: server.port)
        await client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        try await arrived.wait()
        clock.advance(by: .seconds(600))
        goOn.open()
        #expect(try await client.read().text == "at last")
    }

    @Test("on a connection that is kept, each request has its own time")
    func kept() async throws {
        let clock = ManualClock()
        let server = try Self.server(clock)
        let client = try RawClient(port: server.port)
        for number in 0..<4 {
            #expect(try await client.request("GET", "/\(number)").text == "/\(number)")
            clock.advance(by: .seconds(3))
        }
        await client.write("GET /half")
        let isClosed = Locked(false)
        let closing = Task {
            #expect(await client.isClosed())
            isClosed.withLock { $0 = true }
        }
        while !isClosed.withLock({ $0 }) {
            clock.advance(by: .seconds(1))
            await Task.yield()
        }
        await closing.value
    }

    @Test(
        "where all places are taken, the oldest half-read connection gives way to a newcomer, and no other",
        .standard(27))
    func eviction() async throws {
        let server = try Self.server(ManualClock(), connections: 4)
        let slow = try (0..<4).map { _ in try RawClient(port: server.port) }
        for client in slow { await client.write("GET /slow HTTP/1.1\r\n") }
        let newcomer = try RawClient(port: server.port)
        #expect(try await newcomer.request("GET", "/new").text == "/new")
        #expect(await slow[0].isClosed())
        for client in slow[1...] {
            await client.write("Host: x\r\n\r\n")
            #expect(try await client.read().text == "/slow")
        }
    }

    @Test("a connection whose request is being answered does not give way, however old it is")
    func answeredStay() async throws {
        let goOn = Latch()
        let arrived = [Latch(), Latch()]
        let server = try Self.server(ManualClock(), connections: 3) { request in
            guard let number = Int(request.path.dropFirst()) else { return .text(request.path) }
            arrived[number].open()
            try? await goOn.wait()
            return .text("held")
        }
        let held = try (0..<2).map { _ in try RawClient(port: server.port) }
        for (number, client) in held.enumerated() {
            await client.write("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
            try await arrived[number].wait()
        }
        let slow = try RawClient(port: server.port)
        await slow.write("GET /slow HT")
        let newcomer = try RawClient(port: server.port)
        #expect(try await newcomer.request("GET", "/new").text == "/new")
        #expect(await slow.isClosed())
        goOn.open()
        for client in held { #expect(try await client.read().text == "held") }
    }

    @Test("a hundred that send a byte now and then keep nobody out")
    func crowd() async throws {
        let server = try Self.server(ManualClock(), connections: 8)
        var crowd: [RawClient] = []
        for _ in 0..<100 {
            let client = try RawClient(port: server.port)
            await client.write("G")
            crowd.append(client)
        }
        #expect(try await RawClient(port: server.port).request("GET", "/in").text == "/in")
        for client in crowd { await client.write("E") }
        #expect(try await RawClient(port: server.port).request("GET", "/again").text == "/again")
    }

    #if os(Linux)
        @Test("what the server opens is closed in a program that is started")
        func closeOnExec() async throws {
            // Whoever runs the tests may have left some open.
            let before = Set((Int32(3)..<1_024).map(Self.kind))
            let server = try Self.server(ManualClock())
            let client = try RawClient(port: server.port)
            #expect(try await client.request("GET", "/").text == "/")
            var looked = 0
            for descriptor in Int32(3)..<1_024 {
                let kind = Self.kind(descriptor)
                // All that wake threads have the same name.
                guard kind.hasPrefix("anon_inode:[event") || kind.hasPrefix("socket:") && !before.contains(kind) else {
                    continue
                }
                #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, "\(descriptor): \(kind)")
                looked += 1
            }
            // Two that listen and are connected, the client's own, and what wakes the thread.
            #expect(looked >= 4)
        }

        private static func kind(_ descriptor: Int32) -> String {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) ?? ""
        }
    #endif
}
