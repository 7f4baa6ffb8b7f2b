import Latchkey
import LatchkeyTesting
import RedisServing
import RedisStore

/// Two clients over one store: one signs in and out, and its server goes away from the other in every way.
struct Outages {
    /// How the server is away.
    enum Outage: CaseIterable {
        /// Killed, and started anew.
        case killed
        /// Stopped where it is, and let go on.
        case stopped
        /// The way to it is closed for the client that watches.
        case cut
        /// The way to it takes everything and answers nothing, for the client that watches.
        case silent
    }

    let server: RedisServer
    let seconds: Int

    init(_ server: RedisServer, seconds: Int) {
        self.server = server
        self.seconds = seconds
    }

    func run() async throws -> Bool {
        let proxy = try CuttingProxy(to: server.port)
        defer { proxy.stop() }
        let acting = try client(at: server.port)
        let watching = try client(at: proxy.port)
        _ = try await watching.accounts()
        var (missed, count, longest) = (0, 0, Duration.zero)
        var random = SystemRandomNumberGenerator()
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            let outage = Outage.allCases[count % Outage.allCases.count]
            count += 1
            try await begin(outage, proxy)
            try await Task.sleep(for: .milliseconds(Int.random(in: 300...4_000, using: &random)))
            let isIn: Bool
            if outage == .cut || outage == .silent {
                isIn = try await turn(acting)
                try await over(outage, proxy)
            } else {
                try await over(outage, proxy)
                isIn = try await turn(acting)
            }
            let back = ContinuousClock.now
            while (watching.currentToken() != nil) != isIn, ContinuousClock.now < back + .seconds(15) {
                try await Task.sleep(for: .milliseconds(5))
            }
            let took = ContinuousClock.now - back
            if (watching.currentToken() != nil) != isIn { missed += 1 } else { longest = max(longest, took) }
        }
        await acting.finish()
        await watching.finish()
        let isInTime = longest < .seconds(5)
        print(
            "outages=\(count) missed=\(missed) longest=\(longest)",
            isInTime ? "stale_after_back<5s" : "stale_after_back=\(longest)")
        return missed == 0 && isInTime
    }

    private func client(at port: UInt16) throws -> AuthClient {
        try AuthClient.Builder().provider(ScriptedProvider()).transport(ScriptedTransport())
            .store(RedisStore(port: port, prefix: "outages", patience: .seconds(1))).build()
    }

    /// Signs in or out, and again while the store cannot take it.
    private func turn(_ client: AuthClient) async throws -> Bool {
        let isIn = try await patiently { !(try await client.accounts().isEmpty) }
        try await patiently {
            if isIn {
                _ = try await client.signOut()
            } else {
                _ = try await client.signIn(with: "scripted", .anonymous)
            }
        }
        return !isIn
    }

    private func patiently<Value>(_ work: () async throws -> Value) async throws -> Value {
        let end = ContinuousClock.now + .seconds(20)
        while true {
            do { return try await work() } catch let error as AuthError where ContinuousClock.now < end {
                switch error.code {
                case .store(.unavailable), .store(.unknownOutcome), .busy: try await Task.sleep(for: .milliseconds(20))
                default: throw error
                }
            }
        }
    }

    private func begin(_ outage: Outage, _ proxy: CuttingProxy) async throws {
        switch outage {
        case .killed: await server.kill()
        case .stopped: await server.suspend()
        case .cut: proxy.set(.closed)
        case .silent: proxy.set(.silent)
        }
    }

    private func over(_ outage: Outage, _ proxy: CuttingProxy) async throws {
        switch outage {
        case .killed: try await server.start()
        case .stopped: await server.resume()
        case .cut, .silent: proxy.set(.open)
        }
    }
}
