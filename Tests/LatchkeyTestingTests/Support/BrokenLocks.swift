import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// A store whose locks break exactly one promise.
final class BrokenLocks: CrossProcessStore {
    enum Fault: String, CaseIterable, Sendable {
        case excludesNobody, oneLaneForAll, releaseFreesNext, ignoresCancellation, separatePlaces

        var clause: String {
            switch self {
            case .excludesNobody: "a lock excludes everyone else, busy at the deadline"
            case .oneLaneForAll: "locks of other keys are free"
            case .releaseFreesNext: "letting go twice frees nobody else's lock"
            case .ignoresCancellation: "a cancelled waiter throws CancellationError and holds nothing"
            case .separatePlaces: "what one instance commits the other sees"
            }
        }
    }

    struct Hold: HeldLock {
        let hold: (any HeldLock)?
        let also: @Sendable () async -> Void
        func release() async {
            await hold?.release()
            await also()
        }
    }

    let fault: Fault
    let store: MemoryStore
    private let latest: Locked<(any HeldLock)?>

    init(_ fault: Fault, over store: MemoryStore = MemoryStore(), latest: Locked<(any HeldLock)?> = Locked(nil)) {
        self.fault = fault
        self.store = store
        self.latest = latest
    }

    func other() -> BrokenLocks {
        fault == .separatePlaces ? BrokenLocks(fault) : BrokenLocks(fault, over: store, latest: latest)
    }

    func read(_ key: StoreKey) throws -> StoredRecord? { try store.read(key) }
    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
        try store.replace(key, at: version, with: bytes)
    }
    func keys(_ kind: StoreKey.Kind) -> [StoreKey] { store.keys(kind) }
    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        switch fault {
        case .excludesNobody: return Hold(hold: nil) {}
        case .oneLaneForAll:
            return try await store.lock(StoreKey(.settings, ""), deadline: deadline)
        case .releaseFreesNext:
            let hold = try await store.lock(key, deadline: deadline)
            latest.withLock { $0 = hold }
            return Hold(hold: hold) { [latest] in await latest.withLock { $0 }?.release() }
        case .ignoresCancellation:
            do {
                return try await store.lock(key, deadline: deadline)
            } catch is CancellationError {
                return Hold(hold: nil) {}
            }
        default: return try await store.lock(key, deadline: deadline)
        }
    }
}
