public import Latchkey
import LatchkeySystem

/// A store outside the processes that use it, like a keyring's daemon. Every call takes time. The
/// keyring can be locked, out of reach, full or slow, and it may keep a value although the call failed.
@available(macOS 15, iOS 18, *)
public final class SimulatedKeyring: Sendable {
    /// A fault of the keyring.
    public enum Trouble: String, CaseIterable, Sendable {
        /// Nobody has unlocked it.
        case locked
        /// It does not respond, and has lost those who listened to it, and half the time every lock.
        case unavailable
        /// It accepts nothing more.
        case full
        /// Each call takes seconds.
        case slow
        /// The answer to a change is lost, or the change: it takes effect at once, seconds later, or never.
        case lostAnswer
    }

    /// What becomes of a change and of its answer.
    private enum AnswerFate: CaseIterable {
        case comes, lost, comesLate, neverLeft
    }

    struct State {
        var records: [StoreKey: StoredRecord] = [:]
        var commits: UInt64 = 0
        var trouble: Trouble?
        var random: SplitMix
        var holds: [Int: Set<Hold>] = [:]
        var told: (@Sendable (StoreKey, [UInt8]?) -> Void)?
    }

    struct Hold: Hashable {
        let id: UInt64
        let key: StoreKey
    }

    let machine: SimulatedMachine
    let lanes = LockQueue()
    let feed = ChangeFeed()
    let state: Locked<State>

    /// Creates an empty keyring on the machine. Its delays are drawn from `seed`.
    public init(_ machine: SimulatedMachine, seed: UInt64) {
        self.machine = machine
        state = Locked(State(random: SplitMix(seed: seed)))
    }

    /// Sets the fault, until the next call; `nil` means none.
    public func set(_ trouble: Trouble?) {
        let lost = state.withLock { state -> [Hold] in
            state.trouble = trouble
            guard trouble == .unavailable, state.random.below(2) == 0 else { return [] }
            defer { state.holds = [:] }
            return state.holds.values.flatMap(\.self)
        }
        if trouble == .unavailable { feed.finish() }
        for hold in lost.sorted(by: { $0.id < $1.id }) { lanes.release(hold.id, of: hold.key) }
    }

    /// Calls `told` with each committed record; `nil` bytes mean that it was deleted.
    public func observe(_ told: @escaping @Sendable (StoreKey, [UInt8]?) -> Void) { state.withLock { $0.told = told } }

    /// Returns what is under `key`, ignoring all faults.
    public func content(_ key: StoreKey) -> [UInt8]? { state.withLock { $0.records[key]?.bytes } }

    /// Returns the keyring as `process` sees it.
    public func store(of process: SimulatedProcess) -> some CrossProcessStore & WatchableStore {
        process.whenKilled { [self] in freeLocks(of: process.number) }
        return KeyringStore(keyring: self, process: process, clock: process.context().clock)
    }

    private func freeLocks(of process: Int) {
        let held = state.withLock { $0.holds.removeValue(forKey: process) ?? [] }
        for hold in held.sorted(by: { $0.id < $1.id }) { lanes.release(hold.id, of: hold.key) }
    }

    fileprivate func delay() -> Duration {
        state.withLock { state in
            let drawn = state.random.below(1_000)
            return state.trouble == .slow ? .milliseconds(1_000 + 4 * drawn) : .microseconds(50 * drawn)
        }
    }

    fileprivate func commit(_ key: StoreKey, _ version: RecordVersion?, _ bytes: [UInt8]?) throws -> RecordVersion? {
        let fate = state.withLock { state in
            state.trouble == .lostAnswer ? AnswerFate.allCases[state.random.below(AnswerFate.allCases.count)] : .comes
        }
        switch fate {
        case .comes: return try put(key, version, bytes)
        case .lost: _ = try? put(key, version, bytes)
        case .comesLate:
            let wait = state.withLock { Duration.milliseconds(10 + $0.random.below(4_000)) }
            machine.at(machine.now + wait) { [weak self] in _ = try? self?.put(key, version, bytes) }
        case .neverLeft: break
        }
        throw AuthError(.store(.unknownOutcome), "the keyring's answer was lost")
    }

    private func put(_ key: StoreKey, _ version: RecordVersion?, _ bytes: [UInt8]?) throws -> RecordVersion? {
        let (new, told) = try state.withLock { state in
            let found = state.records[key]?.version
            guard found == version else { throw StoreConflict(found: found) }
            if state.trouble == .full, bytes != nil { throw AuthError(.store(.full), "the keyring is full") }
            state.commits += 1
            let new = RecordVersion(withUnsafeBytes(of: state.commits.bigEndian) { Array($0) })
            state.records[key] = bytes.map { StoredRecord(bytes: $0, version: new) }
            return (bytes == nil ? nil : new, state.told)
        }
        told?(key, bytes)
        feed.tell(key)
        return new
    }

    fileprivate func check() throws {
        switch state.withLock({ $0.trouble }) {
        case .locked: throw AuthError(.locked, "the keyring is locked")
        case .unavailable: throw AuthError(.store(.unavailable), "the keyring does not answer")
        case .full, .slow, .lostAnswer, nil: break
        }
    }
}

@available(macOS 15, iOS 18, *)
private struct KeyringStore: CrossProcessStore, WatchableStore {
    let keyring: SimulatedKeyring
    let process: SimulatedProcess
    let clock: any AuthClock

    private func pass() async throws {
        do { try await clock.sleep(until: clock.now() + keyring.delay()) } catch {
            // A dead process gets no answer; the daemon does not wait for a cancelled caller either.
            throw AuthError(.store(.unavailable), "the keyring was not asked to the end")
        }
        guard !process.isKilled else { throw AuthError(.store(.unavailable), "the process is over") }
    }

    func read(_ key: StoreKey) async throws -> StoredRecord? {
        try await pass()
        try keyring.check()
        return keyring.state.withLock { $0.records[key] }
    }

    @discardableResult
    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
        try await pass()
        try keyring.check()
        return try keyring.commit(key, version, bytes)
    }

    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        try await pass()
        try keyring.check()
        return keyring.state.withLock { state in
            state.records.keys.filter { $0.kind == kind }.sorted { $0.name < $1.name }
        }
    }

    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        guard let id = try await keyring.lanes.acquire(key, deadline: deadline, clock: clock) else {
            throw AuthError(.busy, "the lock is held")
        }
        let hold = SimulatedKeyring.Hold(id: id, key: key)
        let isAlive = keyring.state.withLock { state in
            guard !process.isKilled else { return false }
            state.holds[process.number, default: []].insert(hold)
            return true
        }
        let held = KeyringHold(keyring: keyring, process: process.number, hold: hold)
        guard isAlive else {
            keyring.lanes.release(id, of: key)
            throw AuthError(.store(.unavailable), "the process is over")
        }
        return held
    }

    func changes() async throws -> AsyncStream<StoreKey> {
        try await pass()
        // What is locked tells of changes, and shows none of them.
        if keyring.state.withLock({ $0.trouble }) == .unavailable { try keyring.check() }
        return keyring.feed.listen()
    }
}

@available(macOS 15, iOS 18, *)
private struct KeyringHold: HeldLock {
    let keyring: SimulatedKeyring
    let process: Int
    let hold: SimulatedKeyring.Hold

    var isHeld: Bool { keyring.state.withLock { $0.holds[process]?.contains(hold) ?? false } }

    func release() {
        guard keyring.state.withLock({ $0.holds[process]?.remove(hold) }) != nil else { return }
        keyring.lanes.release(hold.id, of: hold.key)
    }
}
