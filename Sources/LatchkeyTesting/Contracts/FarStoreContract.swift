public import Latchkey

/// The contract of a store behind a network, in addition to ``StoreContract``: what it says while its server is away, and
/// of answers that are lost. Between the store and its server is a ``CuttingProxy``.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | while its server is away it is unavailable, and nothing is absent | read, list, write and lock, cut off and silent |
/// | a silent server is given up in time, and holds up no other task | 64 calls at once |
/// | it works again once its server is back | after each of both |
/// | a lost answer to a change is an unknown outcome and no conflict | each way to cut |
/// | what is said not to have changed anything has not | the same, looked at from elsewhere |
/// | a lost answer to a question is asked again or unavailable, and never a part | reading, listing 500 keys |
/// | no increment is lost or doubled though answers are cut | eight writers, every seventh answer |
/// | every one of many keys is listed | 2,000 |
/// | a lock that is lost says so before another has it | for ``/Latchkey/CrossProcessStore`` |
/// | a lock whose answer is lost frees itself | the same |
/// | a stream ends when its server is away | for ``/Latchkey/WatchableStore``, cut off and silent |
/// | nobody listens to a server that is away | the same |
/// | it tells again once its server is back | the same |
///
/// It waits in real time, some multiples of `patience`.
public struct FarStoreContract<Store: SessionStore>: Sendable {
    let context: PluginContext
    let server: UInt16
    let patience: Duration
    let make: @Sendable (UInt16, String, PluginContext) async throws -> Store
    let clauses: Clauses
    let key = StoreKey(.credential, "alice")

    /// Creates a contract over stores that `make` creates.
    ///
    /// - Parameters:
    ///   - server: The port of 127.0.0.1 at which the server listens.
    ///   - context: Time, randomness and files. Default: the system.
    ///   - patience: How long the store waits for one answer, and how long its locks last beyond their holder, at most. A
    ///     question may be asked twice.
    ///   - timeLimit: How long a clause may take, in real time. A clause that takes longer is broken and left behind.
    ///   - make: Creates a store that finds its server at the given port, and keeps everything under the given name. It is
    ///     called several times for each clause, with a name of its own.
    public init(
        at server: UInt16, context: PluginContext = .system, patience: Duration = .seconds(5),
        timeLimit: Duration? = nil,
        _ make: @escaping @Sendable (_ port: UInt16, _ place: String, PluginContext) async throws -> Store
    ) {
        self.server = server
        self.context = context
        self.patience = patience
        self.make = make
        clauses = Clauses(contract: "FarStoreContract", limit: timeLimit ?? max(ClauseLimit.standard, patience * 8))
    }

    /// Checks every clause.
    public func run() async throws {
        try await check("while its server is away it is unavailable, and nothing is absent", away)
        try await check("a silent server is given up in time, and holds up no other task", silent)
        try await check("it works again once its server is back", back)
        try await check("a lost answer to a change is an unknown outcome and no conflict", lostChange)
        try await check("a lost answer to a question is asked again or unavailable, and never a part", lostQuestion)
        try await check("no increment is lost or doubled though answers are cut", counted)
        try await check("every one of many keys is listed", manyKeys)
        if Store.self is any CrossProcessStore.Type { try await runLocks() }
        if Store.self is any WatchableStore.Type { try await runStreams() }
    }

    /// A store behind a proxy, and another of the same place that nothing stands before.
    struct Pair: Sendable {
        let place: String
        let proxy: CuttingProxy
        let store: Store
        let near: Store
    }

    func check(_ clause: String, _ body: @escaping @Sendable (Pair) async throws -> Void) async throws {
        try await clauses.clause(clause) {
            let proxy = try CuttingProxy(to: server)
            defer { proxy.stop() }
            let pair = try await clauses.given("what makes two stores") {
                let place = context.randomName()
                return Pair(
                    place: place, proxy: proxy, store: try await make(proxy.port, place, context),
                    near: try await make(server, place, context))
            }
            try await body(pair)
        }
    }

    static func isAway(_ code: AuthError.Code) -> Bool { code == .store(.unavailable) }

    /// Every way of being away, one after the other.
    func each(_ pair: Pair, _ body: (CuttingProxy.Way) async throws -> Void) async throws {
        for way in [CuttingProxy.Way.closed, .silent] {
            pair.proxy.set(way)
            try await body(way)
            pair.proxy.set(.open)
        }
    }

    private func away(_ pair: Pair) async throws {
        let version = try await pair.store.replace(key, at: nil, with: [1])
        try await each(pair) { way in
            try await expectError("store(.unavailable)", where: Self.isAway) { _ = try await pair.store.read(key) }
            try await expectError("store(.unavailable)", where: Self.isAway) {
                _ = try await pair.store.keys(.credential)
            }
            try await expectError("store(.unavailable) or store(.unknownOutcome)") {
                Self.isAway($0) || $0 == .store(.unknownOutcome)
            } _: {
                try await pair.store.replace(key, at: version, with: [2])
            }
            guard let locking = pair.store as? any CrossProcessStore else { return }
            try await expectError("store(.unavailable) or busy", where: { Self.isAway($0) || $0 == .busy }) {
                await (try await locking.lock(key, deadline: .zero)).release()
            }
        }
    }

    private func silent(_ pair: Pair) async throws {
        _ = try await pair.store.replace(key, at: nil, with: [1])
        pair.proxy.set(.silent)
        let begun = ContinuousClock.now
        let calls = Task {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<64 {
                    group.addTask { (try? await pair.store.read(key)) == nil }
                }
                return await group.allSatisfy { $0 }
            }
        }
        // The pool has a thread for each core: a call that blocks one of them holds this up.
        for _ in 0..<20 {
            let before = ContinuousClock.now
            await Task { await Task.yield() }.value
            try expect(ContinuousClock.now - before < patience / 2, "other tasks do not run meanwhile")
        }
        try expect(await calls.value, "a record came from a silent server")
        try expect(ContinuousClock.now - begun < patience * 3, "they waited for \(ContinuousClock.now - begun)")
    }

    private func back(_ pair: Pair) async throws {
        var version = try await pair.store.replace(key, at: nil, with: [1])
        var count: UInt8 = 1
        try await each(pair) { _ in
            _ = try? await pair.store.read(key)
            pair.proxy.set(.open)
            count += 1
            let found = try await eventually("it reads") { try await pair.store.read(key) }
            try expect(found?.version == version, "the record is another")
            version = try await pair.store.replace(key, at: version, with: [count])
            try expect(try await pair.near.read(key)?.bytes == [count], "what it wrote is not there")
        }
    }

    /// What `work` returns once it throws no more; a server that has just come back may cost a try or two.
    func eventually<Value: Sendable>(
        _ what: String, _ work: () async throws -> Value
    ) async throws -> Value {
        let end = ContinuousClock.now + patience * 2
        while true {
            do { return try await work() } catch {
                guard ContinuousClock.now < end, AuthError(error).code.isPassing else {
                    throw Broken("\(what) no more: it threw \(Clauses.shown(error))")
                }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}

extension AuthError.Code {
    /// Whether a store says this of a server that is away.
    fileprivate var isPassing: Bool { self == .store(.unavailable) || self == .store(.unknownOutcome) || self == .busy }
}
