import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

/// A program that ends, at each moment of what it may have under way.
@Suite struct EndTests {
    /// A process whose provider sends requests, and what stands around it.
    struct Scene {
        let bench: Bench
        let network = HoldingTransport()
        let auth: AuthClient

        init(_ rules: ProviderRules = .scripted(), patience: Duration = .seconds(10)) throws {
            bench = Bench(rules: rules)
            var settings = Bench.settings
            settings.patience = patience
            auth = try AuthClient.Builder().provider(SendingProvider(inner: bench.service)).store(bench.store)
                .transport(network).context(bench.world).settings(settings).build()
        }

        /// Somebody is signed in, and the access token has ended.
        static func ended(_ rules: ProviderRules = .scripted(), patience: Duration = .seconds(10)) async throws -> Scene
        {
            let scene = try Scene(rules, patience: patience)
            _ = try await scene.auth.signIn(with: "scripted", .anonymous)
            scene.bench.clock.advance(by: .seconds(3_600))
            return scene
        }

        /// Returns when a request for `path` has come.
        func until(_ path: String) async throws { try await bench.until { network.sent.contains(path) } }

        /// The token that another process finds.
        func next() async throws -> String {
            try await bench.process(seed: 11).accessToken().value.revealText()
        }
    }

    /// How a program ends its client.
    enum End: String, CaseIterable, Sendable {
        case finish, finishSent

        func run(_ auth: AuthClient) async {
            switch self {
            case .finish: await auth.finish()
            case .finishSent: await auth.finishSent()
            }
        }
    }

    @Test(
        "what was sent is answered and stored before the client has ended, also in a task that is cancelled", .law(7),
        arguments: End.allCases, [false, true])
    func sent(_ end: End, _ isCancelled: Bool) async throws {
        let scene = try await Scene.ended()
        let answer = scene.network.hold("/refresh")
        let caller = Task { try await scene.auth.accessToken() }
        try await scene.until("/refresh")
        caller.cancel()
        #expect(scene.auth.exchangesUnderWay == [ExchangeUnderWay(awaitedOrigin: "https://id.example.com")])
        let hasEnded = Locked(false)
        let ending = Task {
            await end.run(scene.auth)
            hasEnded.withLock { $0 = true }
        }
        if isCancelled { ending.cancel() }
        await scene.bench.settle()
        #expect(!hasEnded.withLock { $0 })
        answer.open()
        await ending.value
        #expect(scene.auth.exchangesUnderWay.isEmpty)
        #expect(try await scene.bench.storedSecret == "refresh-2")
        #expect(try await scene.next() == "access-2")
    }

    @Test(
        "what was not sent is not sent after the signal, its mark is taken back, and the next process need not wait",
        .law(7))
    func unsent() async throws {
        let scene = try await Scene.ended()
        let document = scene.network.hold("/keys")
        let caller = Task { try await scene.auth.accessToken() }
        try await scene.bench.until { scene.network.sent.count { $0 == "/keys" } == 2 }
        #expect(scene.auth.stopSending().isEmpty, "The program may end at once.")
        document.open()
        await scene.auth.finishSent()
        #expect(await code { try await caller.value } == .cancelled)
        #expect(!scene.network.sent.contains("/refresh"))
        #expect(try await scene.bench.store.onlyRecord().document["mark"] == nil)
        #expect(try await scene.next() == "access-2")
        #expect(scene.bench.service.sentSecrets == ["refresh-1"])
    }

    @Test("after the signal nothing is sent any more, whatever is asked for", .law(7))
    func nothingMore() async throws {
        let scene = try await Scene.ended()
        let before = scene.network.sent
        scene.auth.stopSending()
        #expect(await code { try await scene.auth.accessToken() } == .cancelled)
        #expect(await code { try await scene.auth.refresh() } == .cancelled)
        #expect(await code { try await scene.auth.signIn(with: "scripted", .anonymous) } == .cancelled)
        #expect(
            await code {
                try await scene.auth.perform(replay: .killsFamily) { _, _ in (CredentialChange(), 1) }
            } == .cancelled)
        #expect(try await scene.auth.signOut() == .revocationQueued)
        #expect(scene.network.sent.filter { $0 != "/keys" } == before.filter { $0 != "/keys" })
        #expect(try await scene.bench.owed == 1)
    }

    @Test("the end waits for a store that does not take an answer yet, and no longer than it may", .law(7))
    func unstored() async throws {
        let scene = try await Scene.ended()
        let answer = scene.network.hold("/refresh")
        let caller = Task { try await scene.auth.accessToken() }
        try await scene.until("/refresh")
        scene.bench.store.failCommits(AuthError(.store(.full), "no space"))
        answer.open()
        _ = try await caller.value
        #expect(scene.auth.exchangesUnderWay == [ExchangeUnderWay()])
        let cut = try await scene.bench.run { await scene.auth.finishSent(within: .milliseconds(500)) }
        #expect(cut?.code == .store(.full))
        #expect(scene.auth.exchangesUnderWay == [ExchangeUnderWay()])
        scene.bench.store.failCommits(nil)
        let begun = scene.bench.clock.now()
        let end = try await scene.bench.run { await scene.auth.finishSent() }
        // The bench's clock may reach the limit before the next try to store is made.
        let isStored = try await scene.bench.storedSecret == "refresh-2"
        #expect(isStored || scene.bench.clock.now() - begun >= .seconds(10))
        #expect(isStored == (end == nil))
    }

    @Test("a request that spends nothing is not waited for", .law(7))
    func harmless() async throws {
        let scene = try await Scene.ended()
        _ = try await scene.auth.accessToken()
        let answer = scene.network.hold("/person")
        let caller = Task {
            try await scene.auth.perform(replay: .fixed) { _, context in
                _ = try await context.send(TransportRequest("GET", "https://id.example.com/person"))
                return (CredentialChange(), 1)
            }
        }
        try await scene.until("/person")
        #expect(scene.auth.stopSending().isEmpty)
        answer.open()
        _ = try await caller.value
    }

    @Test("the answer to a revocation is awaited too, and what is owed is taken off the list", .law(7))
    func revocation() async throws {
        let scene = try await Scene.ended()
        let answer = scene.network.hold("/revoke")
        let caller = Task { try await scene.auth.signOut() }
        try await scene.until("/revoke")
        caller.cancel()
        #expect(scene.auth.stopSending().count == 1)
        let ending = Task { await scene.auth.finishSent() }
        await scene.bench.settle()
        #expect(try await scene.bench.owed == 1)
        answer.open()
        #expect(await ending.value == nil)
        #expect(try await scene.bench.owed == 0)
    }

    @Test("revocations that are settled go on to their end, though the caller is cancelled")
    func settled() async throws {
        let scene = try await Scene.ended()
        scene.bench.service.script(revocations: .failed(TransportError(.unreachable, wasSent: false)))
        #expect(try await scene.auth.signOut() == .revocationQueued)
        let answer = scene.network.hold("/revoke")
        let caller = Task { try await scene.auth.settleRevocations() }
        try await scene.bench.until { scene.network.sent.count { $0 == "/revoke" } == 2 }
        caller.cancel()
        #expect(await code { try await caller.value } == .cancelled)
        answer.open()
        await scene.auth.finish()
        #expect(try await scene.bench.owed == 0)
    }

    @Test(
        "a program that is run ends its client, whether it returns, throws or is cancelled", .law(7), arguments: 0..<3)
    func scope(_ shape: Int) async throws {
        struct Failure: Error {}
        let scene = try await Scene.ended()
        let answer = scene.network.hold("/refresh")
        let program = Task {
            try await scene.auth.run { auth in
                let caller = Task { try await auth.accessToken() }
                try await scene.until("/refresh")
                caller.cancel()
                if shape == 1 { throw Failure() }
                if shape == 2 { withUnsafeCurrentTask { $0?.cancel() } }
                return 5
            }
        }
        try await scene.until("/refresh")
        await scene.bench.settle()
        answer.open()
        let result = await program.result
        if shape == 1 {
            #expect(throws: Failure.self) { try result.get() }
        } else {
            #expect(try result.get() == 5)
        }
        #expect(try await scene.bench.storedSecret == "refresh-2")
    }
}
