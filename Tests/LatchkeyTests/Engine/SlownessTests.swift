import Latchkey
import LatchkeyTesting
import Testing

/// A caller's time is over: the error names who was slow, and what was sent goes on.
@Suite struct SlownessTests {
    private typealias Scene = EndTests.Scene

    private func request(_ scene: Scene) throws -> Task<(any Error)?, Never> {
        let resource = ScriptedTransport()
        let api = try scene.auth.authorized(resource, origins: ["https://api.example.com"])
        return Task {
            do {
                _ = try await api.send(
                    TransportRequest("GET", "https://api.example.com/me"), deadline: .milliseconds(1_500))
                return nil
            } catch { return error }
        }
    }

    @Test(
        "a service that has not answered is named, also where it is the one that has the keys",
        arguments: ["/refresh": "https://id.example.com", "/keys": "https://keys.example.com"])
    func service(_ path: String, _ origin: String) async throws {
        let scene = try await Scene.ended()
        let answer = scene.network.hold(path)
        let request = try request(scene)
        try await scene.bench.until { scene.network.sent.last == path && scene.network.sent.count > 2 }
        scene.bench.clock.advance(by: .seconds(2))
        let error = try #require(await request.value as? TransportError)
        #expect(error.code == .timedOut)
        #expect(error.origin == origin)
        answer.open()
        await scene.auth.finish()
        #expect(try await scene.next() == "access-2")
    }

    @Test("the holder of the session's lock is named")
    func lock() async throws {
        let scene = try await Scene.ended()
        let hold = try await scene.bench.store.lock(scene.bench.store.onlyRecord().key, deadline: .zero)
        let request = try request(scene)
        await scene.bench.settle()
        scene.bench.clock.advance(by: .seconds(2))
        let error = try #require(await request.value as? AuthError)
        #expect(error.code == .busy)
        #expect(error.message.contains("held by"))
        await hold.release()
    }

    @Test("a caller whose patience is over reads who has not answered")
    func patience() async throws {
        let scene = try await Scene.ended(patience: .seconds(3))
        let answer = scene.network.hold("/refresh")
        let caller = Task { try await scene.auth.accessToken() }
        try await scene.until("/refresh")
        for _ in 0..<5 {
            await scene.bench.settle()
            scene.bench.clock.advance(by: .seconds(1))
        }
        do {
            _ = try await caller.value
            Issue.record("It must not wait for longer.")
        } catch {
            #expect((error as? AuthError)?.message.hasPrefix("https://id.example.com has not answered") == true)
        }
        answer.open()
        await scene.auth.finish()
        #expect(try await scene.bench.storedSecret == "refresh-2")
    }
}
