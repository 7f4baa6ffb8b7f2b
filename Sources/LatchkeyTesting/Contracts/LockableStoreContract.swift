public import Latchkey

/// The contract of every ``/Latchkey/LockableStore``, beside the one of stores.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | a new store is closed, and each call throws locked | reading, replacing, listing, several at once, pages, locks |
/// | the key opens it, also twice | records of before, at their versions |
/// | close closes it, also twice | the same calls as for a new store |
/// | a wrong key is refused(.wrongInput), and the store stays as it was | closed, and open; an empty key, one byte less |
/// | what is closed tells nothing while others ask | eight readers while it is opened and closed, 20 times |
/// | what is damaged is a store error, and never a wrong key | if `damaging` is given |
/// | an erased store is closed and as new | if it is an ``/Latchkey/ErasableStore`` |
///
/// ``run()`` throws the first ``ContractViolation``.
public struct LockableStoreContract<Store: LockableStore>: Sendable {
    /// Makes what the key protects unreadable without going through the store.
    public typealias Damage = @Sendable (Store) async throws -> Void

    private let context: PluginContext
    private let key: UnlockKey
    private let damaging: Damage?
    private let make: @Sendable (PluginContext) async throws -> Store
    private let clauses: Clauses
    private let record = StoreKey(.credential, "alice")

    /// Creates a contract over the stores that `make` creates, each new, empty and closed.
    ///
    /// - Parameters:
    ///   - key: The key that opens them.
    ///   - context: Time, randomness and files. Default: the system.
    ///   - damaging: Damages the store; `nil` skips that clause.
    ///   - timeLimit: How long a clause may take, in real time.
    ///   - make: Creates what is tested. It is called once for each clause.
    public init(
        key: UnlockKey, context: PluginContext = .system, damaging: Damage? = nil,
        timeLimit: Duration = ClauseLimit.standard,
        _ make: @escaping @Sendable (PluginContext) async throws -> Store
    ) {
        (self.key, self.context, self.damaging, self.make) = (key, context, damaging, make)
        clauses = Clauses(contract: "LockableStoreContract", limit: timeLimit)
    }

    /// Checks every clause, each with a new store.
    public func run() async throws {
        try await check("a new store is closed, and each call throws locked") {
            try await expectClosed($0)
            try await $0.open(with: key)
            await $0.close()
        }
        try await check("the key opens it, also twice", opened)
        try await check("close closes it, also twice", closed)
        try await check("a wrong key is refused(.wrongInput), and the store stays as it was", wrongKeys)
        try await check("what is closed tells nothing while others ask", meanwhile)
        if let damaging {
            try await check("what is damaged is a store error, and never a wrong key") {
                try await damaged($0, damaging)
            }
        }
        if Store.self is any ErasableStore.Type {
            try await check("an erased store is closed and as new") { store in
                if let store = store as? any ErasableStore { try await erased(store) }
            }
        }
    }

    private func check(_ clause: String, _ body: @escaping @Sendable (Store) async throws -> Void) async throws {
        try await clauses.clause(clause) {
            try await body(try await clauses.given("what makes a store") { try await make(context) })
        }
    }

    private func expectClosed(_ store: some SessionStore) async throws {
        func expectLocked(_ what: String, _ call: () async throws -> Void) async throws {
            do { try await call() } catch let error as AuthError {
                return try expect(error.code == .locked, "\(what) threw \(error.code.name) and not locked")
            }
            throw Broken("\(what) did not throw locked")
        }
        try await expectLocked("read") { _ = try await store.read(record) }
        try await expectLocked("replace") { try await store.replace(record, at: nil, with: [1]) }
        try await expectLocked("a deletion") { try await store.replace(record, at: nil, with: nil) }
        try await expectLocked("keys") { _ = try await store.keys(.credential) }
        try await expectLocked("records") { _ = try await store.records([record])[record]?.get() }
        try await expectLocked("page") {
            _ = try await store.page(of: .credential, startingWith: "", from: nil, atMost: 10)
        }
        if let store = store as? any CrossProcessStore {
            try await expectLocked("lock") { await (try await store.lock(record, deadline: .seconds(1))).release() }
        }
    }

    private func wrongKeys(_ store: Store) async throws {
        try await store.open(with: key)
        let version = try await store.replace(record, at: nil, with: [1])
        let right = Array(key.secret.revealText().utf8)
        let wrong = [[], Array(right.dropLast()), right + [0x61], [UInt8](repeating: 0x41, count: max(1, right.count))]
        for isOpen in [true, false] {
            if !isOpen { await store.close() }
            for bytes in wrong where bytes != right {
                let isRefused = { (code: AuthError.Code) in code == .refused(.wrongInput) }
                try await expectError("refused(.wrongInput)", where: isRefused) {
                    try await store.open(with: UnlockKey(key.kind, Secret(bytes)))
                }
                if !isOpen { try await expectClosed(store) }
                if isOpen {
                    try expect(try await store.read(record)?.version == version, "a wrong key has closed the store")
                }
            }
        }
        try await store.open(with: key)
        try expect(try await store.read(record)?.version == version, "a wrong key has changed a record")
    }

    private func opened(_ store: Store) async throws {
        try await store.open(with: key)
        let version = try await store.replace(record, at: nil, with: StoreSamples.bytes)
        try await store.open(with: key)
        try expect(try await store.read(record)?.bytes == StoreSamples.bytes, "opening it again lost a record")
        await store.close()
        try await store.open(with: key)
        let found = try await store.read(record)
        try expect(found?.bytes == StoreSamples.bytes && found?.version == version, "a record is another, or gone")
        try await store.replace(record, at: version, with: nil)
        try expect(try await store.keys(.credential).isEmpty, "a deleted record is listed")
    }

    private func closed(_ store: Store) async throws {
        try await store.open(with: key)
        let version = try await store.replace(record, at: nil, with: [1])
        for _ in 0..<2 {
            await store.close()
            try await expectClosed(store)
        }
        try await store.open(with: key)
        try expect(try await store.read(record)?.version == version, "closing it has changed a record")
    }

    private func meanwhile(_ store: Store) async throws {
        try await store.open(with: key)
        try await store.replace(record, at: nil, with: StoreSamples.bytes)
        await store.close()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        do {
                            let found = try await store.read(record)
                            try expect(found?.bytes == StoreSamples.bytes, "what is there was read as absent")
                        } catch let error as AuthError where error.code == .locked {}
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                for _ in 0..<20 {
                    try await store.open(with: key)
                    await Task.yield()
                    await store.close()
                }
            }
            try await group.waitForAll()
        }
        try await expectClosed(store)
    }

    private func damaged(_ store: Store, _ damaging: Damage) async throws {
        try await store.open(with: key)
        try await store.replace(record, at: nil, with: [1])
        await store.close()
        try await clauses.given("what damages the store") { try await damaging(store) }
        do {
            try await store.open(with: key)
            _ = try await store.read(record)
        } catch let error as AuthError {
            guard case .store = error.code else { throw Broken("it threw \(error.code.name) and not a store code") }
            return
        }
        throw Broken("what is damaged was opened and read")
    }

    private func erased(_ store: some ErasableStore) async throws {
        try await store.open(with: key)
        try await store.replace(record, at: nil, with: [1])
        await store.close()
        try await store.erase()
        try await expectClosed(store)
        do { try await store.open(with: key) } catch let error as AuthError
            where error.code == .configuration(.invalid)
        {
            // Its keys are to be made anew.
            return
        }
        for kind in StoreKey.Kind.allCases {
            try expect(try await store.keys(kind).isEmpty, "what was erased is listed")
        }
        try expect(try await store.read(record) == nil, "what was erased was read")
    }
}
