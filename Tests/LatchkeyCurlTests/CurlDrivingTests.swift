import Latchkey
import LatchkeySystem
import Testing

@testable import LatchkeyCurl

@Suite("libcurl transport: who drives")
struct CurlDrivingTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test("Many tasks with many requests each, some given up at any moment: each ends, once, with its own end")
    func storm() async throws {
        let server = try RawServer { _ in .bytes(Self.answer) }
        let transport = CurlTransport(connectionsPerHost: 16)
        let ends = try await withThrowingTaskGroup(of: (answers: Int, cancelled: Int).self) { group in
            for _ in 0..<32 {
                group.addTask { try await Self.requests(20, over: transport, to: server.url) }
            }
            return try await group.reduce(into: (answers: 0, cancelled: 0)) {
                $0 = ($0.answers + $1.answers, $0.cancelled + $1.cancelled)
            }
        }
        #expect(ends.answers + ends.cancelled == 32 * 20)
        #expect(ends.answers >= 32 * 15)
    }

    /// One request after the other, each fourth of them given up after it was begun.
    private static func requests(
        _ count: Int, over transport: CurlTransport, to url: String
    ) async throws -> (answers: Int, cancelled: Int) {
        var ends = (answers: 0, cancelled: 0)
        for number in 0..<count {
            let request = Task { try await transport.send(TransportRequest("GET", url), deadline: .seconds(30)).body }
            if number % 4 == 3 {
                for _ in 0..<number { await Task.yield() }
                request.cancel()
            }
            do {
                #expect(try await request.value == Array("ok".utf8))
                ends.answers += 1
            } catch is CancellationError {
                ends.cancelled += 1
            }
        }
        return ends
    }

    @Test("Transports that are dropped right after their last answer, or their last request given up, all stop")
    func stops() async throws {
        let server = try RawServer { number in number.isMultiple(of: 3) ? .hang : .bytes(Self.answer) }
        let stopped = Locked(0)
        for _ in 0..<40 {
            await withCheckedContinuation { continuation in
                let transport = CurlTransport(CurlSettings(), context: .system) {
                    stopped.withLock { $0 += 1 }
                    continuation.resume()
                }
                PluginContext.system.start("requests") {
                    await withTaskGroup(of: Void.self) { group in
                        for _ in 0..<3 {
                            group.addTask { [transport] in
                                _ = try? await transport.send(
                                    TransportRequest("GET", server.url), deadline: .seconds(30))
                            }
                        }
                        await group.next()
                        group.cancelAll()
                    }
                }
            }
        }
        #expect(stopped.withLock { $0 } == 40)
    }

    @Test("A request whose answer does not come leaves the driving to the thread, and those after it are answered")
    func patience() async throws {
        let server = try RawServer { number in number == 1 ? .hang : .bytes(Self.answer) }
        let transport = CurlTransport()
        let hanging = Task { try await transport.send(TransportRequest("GET", server.url), deadline: .seconds(30)) }
        while server.requests.isEmpty { await Task.yield() }
        for _ in 0..<50 {
            let answer = try await transport.send(TransportRequest("GET", server.url), deadline: .seconds(30))
            #expect(answer.status == 200)
        }
        hanging.cancel()
        await #expect(throws: CancellationError.self) { _ = try await hanging.value }
    }

    @Test("A request of a task that was given up before is not sent")
    func early() async throws {
        let server = try RawServer { _ in .bytes(Self.answer) }
        let transport = CurlTransport()
        let request = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(TransportRequest("GET", server.url), deadline: .seconds(30))
        }
        await #expect(throws: CancellationError.self) { _ = try await request.value }
        #expect(server.requests.isEmpty)
    }
}
