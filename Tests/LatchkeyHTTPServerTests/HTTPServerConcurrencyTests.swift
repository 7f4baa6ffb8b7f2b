import LatchkeyHTTPServer
import LatchkeySystem
import Testing

@Suite("HTTP server under load")
struct HTTPServerConcurrencyTests {
    /// Lets handlers wait until they are told.
    actor Gate {
        private var waiting: [CheckedContinuation<Void, Never>] = []
        private var arrivals: [(Int, CheckedContinuation<Void, Never>)] = []

        func wait() async {
            await withCheckedContinuation { continuation in
                waiting.append(continuation)
                arrivals.removeAll { count, arrival in
                    guard waiting.count >= count else { return false }
                    arrival.resume()
                    return true
                }
            }
        }

        func arrived(_ count: Int) async {
            guard waiting.count < count else { return }
            await withCheckedContinuation { arrivals.append((count, $0)) }
        }

        func open() {
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
    }

    @Test("64 requests at once are all held and all answered")
    func parallel() async throws {
        let gate = Gate()
        let server = try HTTPServer { request in
            await gate.wait()
            return .text(request.path)
        }
        let clients = try (0..<64).map { _ in try RawClient(port: server.port) }
        for (number, client) in clients.enumerated() {
            await client.write("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
        }
        await gate.arrived(64)
        await gate.open()
        for (number, client) in clients.enumerated() {
            #expect(try await client.read().text == "/\(number)")
        }
    }

    @Test(
        "Stopping while requests are held drops them, cancels their tasks, and leaks nothing", .timeLimit(.minutes(1)))
    func stopWhileHeld() async throws {
        final class Witness: Sendable {}
        let gate = Gate()
        let cancelled = Locked(0)
        var witness: Witness? = Witness()
        weak let watched = witness
        var server: HTTPServer? = try HTTPServer { [witness] _ in
            _ = witness
            await gate.wait()
            if Task.isCancelled { cancelled.withLock { $0 += 1 } }
            return .text("too late")
        }
        witness = nil
        let port = try #require(server?.port)
        let clients = try (0..<8).map { _ in try RawClient(port: port) }
        for client in clients { await client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
        await gate.arrived(8)
        server?.stop()
        server = nil
        for client in clients { #expect(await client.isClosed()) }
        #expect(watched != nil)
        await gate.open()
        while watched != nil { await Task.yield() }
        #expect(cancelled.withLock { $0 } == 8)
    }

    @Test("Dropping the last reference stops the server")
    func dropped() async throws {
        var server: HTTPServer? = try HTTPServer { _ in .text("here") }
        let port = try #require(server?.port)
        #expect(try await RawClient(port: port).request("GET", "/").text == "here")
        server = nil
        #expect(throws: RawClient.Failure.refused) { try RawClient(port: port) }
    }

    @Test("Starting and stopping in the middle of requests, many times over, loses no connection")
    func churn() async throws {
        for _ in 0..<30 {
            let server = try HTTPServer { request in
                await Task.yield()
                return .text(request.path)
            }
            let clients = try (0..<4).map { _ in try RawClient(port: server.port) }
            for client in clients { await client.write("GET /x HTTP/1.1\r\nHost: x\r\n\r\n") }
            server.stop()
            for client in clients {
                let answer = try? await client.read()
                #expect(answer == nil || answer?.text == "/x")
            }
        }
    }
}
