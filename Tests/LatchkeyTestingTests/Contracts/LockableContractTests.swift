import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Testing

@Suite("Contracts of stores that a key opens, and of stores that list beside damage") struct LockableContractTests {
    private static let key = UnlockKey(.passphrase, Secret("correct horse"))

    @Test("a store in front of another keeps it") func keyed() async throws {
        try await LockableStoreContract(key: Self.key) { KeyedStore(MemoryStore(context: $0), key: Self.key.secret) }
            .run()
    }

    @Test(
        "one that breaks a promise is refused by the clause that demands it", arguments: BrokenLockable.Fault.allCases)
    func broken(fault: BrokenLockable.Fault) async throws {
        let violation = await #expect(throws: ContractViolation.self) {
            try await LockableStoreContract(key: Self.key, damaging: { $0.damage() }) { _ in
                BrokenLockable(Self.key.secret, fault)
            }.run()
        }
        #expect(violation?.clause == fault.clause)
    }

    @Test("the same store without a fault keeps it") func sound() async throws {
        try await LockableStoreContract(key: Self.key, damaging: { $0.damage() }) { _ in
            BrokenLockable(Self.key.secret, nil)
        }.run()
    }

    @Test("one that lists wrongly beside damage is refused by the clause", arguments: BrokenListing.Fault.allCases)
    func brokenListing(fault: BrokenListing.Fault) async throws {
        let violation = await #expect(throws: ContractViolation.self) { try await listing(fault).run() }
        #expect(violation?.clause == fault.clause)
    }

    @Test("the same store without a fault lists rightly") func soundListing() async throws {
        try await listing(nil).run()
    }

    private func listing(_ fault: BrokenListing.Fault?) -> DamageTolerantStoreContract<BrokenListing> {
        DamageTolerantStoreContract(damaging: { $0.damage($1) }, breaking: { $0.breakDown() }) { _ in
            BrokenListing(fault)
        }
    }
}

/// Opened by a key, with one fault.
final class BrokenLockable: ErasableStore, CrossProcessStore {
    enum Fault: CaseIterable {
        case beginsOpen, listsWhileClosed, readsTogetherWhileClosed, locksWhileClosed, absentWhileClosed, opensForAny,
            wrongKeyIsNoRefusal, wrongKeyCloses, forgetsWhenClosed, newVersionWhenOpened, staysOpen,
            damagedIsWrongKey, keepsWhenErased, openAfterErasing

        var clause: String {
            switch self {
            case .beginsOpen, .listsWhileClosed, .readsTogetherWhileClosed, .locksWhileClosed, .absentWhileClosed:
                "a new store is closed, and each call throws locked"
            case .opensForAny, .wrongKeyIsNoRefusal, .wrongKeyCloses:
                "a wrong key is refused(.wrongInput), and the store stays as it was"
            case .forgetsWhenClosed, .newVersionWhenOpened: "the key opens it, also twice"
            case .staysOpen: "close closes it, also twice"
            case .damagedIsWrongKey: "what is damaged is a store error, and never a wrong key"
            case .keepsWhenErased, .openAfterErasing: "an erased store is closed and as new"
            }
        }
    }

    private struct State {
        var isOpen = false
        var isDamaged = false
        var records: [StoreKey: StoredRecord] = [:]
        var number: UInt8 = 0
        var closings = 0
    }

    private let key: Secret
    private let fault: Fault?
    private let state: Locked<State>
    private let locks = MemoryStore()

    init(_ key: Secret, _ fault: Fault?) {
        (self.key, self.fault) = (key, fault)
        state = Locked(State(isOpen: fault == .beginsOpen))
    }

    func damage() { state.withLock { $0.isDamaged = true } }

    func open(with key: UnlockKey) throws {
        try state.withLock { state in
            guard fault == .opensForAny || key.secret == self.key else {
                if fault == .wrongKeyCloses { state.isOpen = false }
                if fault == .wrongKeyIsNoRefusal { throw AuthError(.store(.damaged), "not the key") }
                throw AuthError(.refused(.wrongInput), "not the key")
            }
            if state.isDamaged {
                throw AuthError(fault == .damagedIsWrongKey ? .refused(.wrongInput) : .store(.damaged), "damaged")
            }
            if fault == .newVersionWhenOpened, !state.isOpen {
                for key in state.records.keys {
                    state.number += 1
                    state.records[key]?.version = RecordVersion([state.number])
                }
            }
            state.isOpen = true
        }
    }

    func close() {
        state.withLock { state in
            state.closings += 1
            if fault == .forgetsWhenClosed { state.records = [:] }
            if fault != .staysOpen || state.closings == 2 { state.isOpen = false }
        }
    }

    func erase() {
        state.withLock { state in
            if fault != .keepsWhenErased { state.records = [:] }
            state.isOpen = fault == .openAfterErasing
        }
    }

    private func opened<Value>(_ work: (inout State) throws -> Value) throws -> Value {
        try state.withLock { state in
            guard state.isOpen else { throw AuthError(.locked, "closed") }
            return try work(&state)
        }
    }

    func read(_ key: StoreKey) throws -> StoredRecord? {
        if fault == .absentWhileClosed, !state.withLock({ $0.isOpen }) { return nil }
        return try opened { $0.records[key] }
    }

    func records(_ keys: [StoreKey]) throws -> [StoreKey: Result<StoredRecord, AuthError>] {
        if fault == .readsTogetherWhileClosed { return state.withLock { $0.records.mapValues { .success($0) } } }
        return try opened { state in
            Dictionary(keys.compactMap { key in state.records[key].map { (key, .success($0)) } }) { $1 }
        }
    }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
        try opened { state in
            guard state.records[key]?.version == version else { throw StoreConflict() }
            state.number += 1
            state.records[key] = bytes.map { StoredRecord(bytes: $0, version: RecordVersion([state.number])) }
            return state.records[key]?.version
        }
    }

    func keys(_ kind: StoreKey.Kind) throws -> [StoreKey] {
        if fault == .listsWhileClosed { return [] }
        return try opened { $0.records.keys.filter { $0.kind == kind } }
    }

    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        if fault != .locksWhileClosed { try opened { _ in } }
        return try await locks.lock(key, deadline: deadline)
    }
}

/// Lists beside damage, with one fault.
final class BrokenListing: DamageTolerantStore {
    enum Fault: CaseIterable {
        case listsOtherKinds, forgetsDeletions, hidesAll, hidesOne, inventsOne, twice, emptyWhenBroken

        var clause: String {
            switch self {
            case .listsOtherKinds, .forgetsDeletions: "where nothing is damaged, the same keys are listed"
            case .hidesAll, .hidesOne: "beside a damaged record, every other key is listed"
            case .inventsOne, .twice: "a key that nobody stored is never listed"
            case .emptyWhenBroken: "what keeps the whole store from being read is thrown"
            }
        }
    }

    private let inner = MemoryStore()
    private let state = Locked((damaged: Set<StoreKey>(), isBroken: false, gone: Set<StoreKey>()))
    private let fault: Fault?

    init(_ fault: Fault?) { self.fault = fault }

    func damage(_ key: StoreKey) { state.withLock { _ = $0.damaged.insert(key) } }
    func breakDown() { state.withLock { $0.isBroken = true } }

    private var damaged: AuthError { AuthError(.store(.damaged), "damaged") }

    func read(_ key: StoreKey) throws -> StoredRecord? {
        if state.withLock({ $0.damaged.contains(key) }) { throw damaged }
        return try inner.read(key)
    }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
        if bytes == nil { state.withLock { _ = $0.gone.insert(key) } }
        return try inner.replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) throws -> [StoreKey] {
        if state.withLock({ $0.damaged.contains { $0.kind == kind } }) { throw damaged }
        return inner.keys(kind)
    }

    func readableKeys(_ kind: StoreKey.Kind) throws -> [StoreKey] {
        let (isBroken, bad, gone) = state.withLock { ($0.isBroken, $0.damaged, $0.gone) }
        if isBroken, fault != .emptyWhenBroken { throw AuthError(.store(.unavailable), "broken") }
        if isBroken { return [] }
        var keys = inner.keys(kind).filter { !bad.contains($0) }
        if fault == .forgetsDeletions { keys += gone.filter { $0.kind == kind } }
        if fault == .listsOtherKinds { keys += inner.keys(.settings).filter { _ in kind != .settings } }
        guard bad.contains(where: { $0.kind == kind }) else { return keys }
        switch fault {
        case .hidesAll: return []
        case .hidesOne: return Array(keys.sorted { $0.name < $1.name }.dropLast())
        case .inventsOne: return keys + [StoreKey(kind, "damaged file")]
        case .twice: return keys + keys.prefix(1)
        default: return keys
        }
    }
}
