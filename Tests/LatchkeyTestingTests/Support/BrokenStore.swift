import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// A store that breaks exactly one promise.
final class BrokenStore: SessionStore {
    enum Fault: String, CaseIterable, Sendable {
        case unconditionalWrite, writesOverNil, deletesAtAnyVersion, changesBeforeConflict
        case swapsWithoutLock, swapsInTwoSteps
        case reusesVersions, keepsVersion, restartsVersions, forgetsAtRestart
        case touchesOtherKeys, ignoresKind, foldsCase, listsDeleted, listsOtherKinds
        case nilForDamaged, overwritesDamaged, cutsBytes, keepsOldTail, refusesAbsentDeletion, takesAnyName,
            dropsQuotes

        /// The clause that must catch it.
        var clause: String {
            switch self {
            case .unconditionalWrite, .writesOverNil, .deletesAtAnyVersion, .changesBeforeConflict:
                "replace at another version throws StoreConflict and changes nothing"
            case .swapsWithoutLock: "of writers at one version exactly one wins"
            case .swapsInTwoSteps: "no increment is lost"
            case .reusesVersions: "no version comes twice for a key"
            case .keepsVersion, .keepsOldTail: "a record is replaced at its version, whole"
            case .restartsVersions, .forgetsAtRestart: "records and versions outlast a restart"
            case .touchesOtherKeys, .ignoresKind, .foldsCase: "other keys are never touched"
            case .listsDeleted, .listsOtherKinds: "keys lists what is there, and only that"
            case .nilForDamaged, .overwritesDamaged: "what is damaged is neither absent nor overwritten"
            case .cutsBytes: "a record reads as it was written, under the version that replace returned"
            case .refusesAbsentDeletion: "nil deletes at the version, and deleting what is absent succeeds"
            case .takesAnyName: "a name beyond that is refused as configuration(.invalid)"
            case .dropsQuotes: "a name may be any text of up to 4,096 bytes"
            }
        }
    }

    struct State {
        var swaps = 0
        var records: [StoreKey: StoredRecord] = [:]
        var everKept: Set<StoreKey> = []
        var damaged: Set<StoreKey> = []
        var commits: UInt64 = 0
    }

    let fault: Fault?
    private let state: Locked<State>

    init(_ fault: Fault?, state: State = State()) {
        self.fault = fault
        self.state = Locked(state)
    }

    func damage(_ key: StoreKey) { state.withLock { _ = $0.damaged.insert(key) } }

    func reopened() -> BrokenStore {
        var kept = state.withLock { $0 }
        if fault == .forgetsAtRestart { kept.records = [:] }
        if fault == .restartsVersions { kept.commits = UInt64(kept.records.count) }
        return BrokenStore(fault, state: kept)
    }

    func read(_ key: StoreKey) throws -> StoredRecord? {
        let place = try place(key)
        return try state.withLock { state in
            if state.damaged.contains(place) {
                if fault == .nilForDamaged { return nil }
                throw AuthError(.store(.damaged), "the record is damaged")
            }
            return state.records[place]
        }
    }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
        let place = try place(key)
        if fault == .swapsWithoutLock, key.name == "raced", version != nil {
            let found = state.withLock { state in
                state.swaps += 1
                return state.records[place]?.version
            }
            // The second writer comes between the first one's look and its change, however late it starts.
            while state.withLock({ $0.swaps }) == 1 { await Task.yield() }
            guard found == version else { throw StoreConflict(found: found) }
            return state.withLock { commit(&$0, place, bytes) }
        }
        if fault == .swapsInTwoSteps, key.kind == .settings {
            // Nothing helps them to meet.
            let found = state.withLock { $0.records[place]?.version }
            guard found == version else { throw StoreConflict(found: found) }
            return state.withLock { commit(&$0, place, bytes) }
        }
        return try state.withLock { state in
            if state.damaged.contains(place), fault != .overwritesDamaged {
                throw AuthError(.store(.damaged), "the record is damaged")
            }
            try compare(&state, place, version, bytes)
            return commit(&state, place, bytes)
        }
    }

    func keys(_ kind: StoreKey.Kind) -> [StoreKey] {
        state.withLock { state in
            let keys = fault == .listsDeleted ? state.everKept : Set(state.records.keys)
            return keys.filter { fault == .listsOtherKinds || $0.kind == kind }
        }
    }

    private func place(_ key: StoreKey) throws -> StoreKey {
        var place = key
        if fault == .foldsCase { place.name = key.name.lowercased() }
        if fault == .dropsQuotes { place.name.removeAll { $0 == "\"" } }
        if fault == .ignoresKind, key.kind == .challenge, key.name == "alice" { place.kind = .credential }
        guard fault == .takesAnyName || (key.name.utf8.count <= 4_096 && !key.name.utf8.contains(0)) else {
            throw AuthError(.configuration(.invalid), "the name is none")
        }
        return place
    }

    private func compare(_ state: inout State, _ key: StoreKey, _ version: RecordVersion?, _ bytes: [UInt8]?) throws {
        let found = state.records[key]?.version
        if fault == .refusesAbsentDeletion, bytes == nil, found == nil { throw StoreConflict() }
        let passes =
            switch fault {
            case .unconditionalWrite: true
            case .writesOverNil: version == nil && bytes != nil
            case .deletesAtAnyVersion: bytes == nil && key.name == "alice" && key.kind == .credential
            default: false
            }
        guard found == version || passes else {
            if fault == .changesBeforeConflict { state.records[key]?.bytes = bytes ?? [] }
            throw StoreConflict(found: found)
        }
    }

    private func commit(_ state: inout State, _ key: StoreKey, _ bytes: [UInt8]?) -> RecordVersion? {
        if fault == .touchesOtherKeys { state.records = state.records.filter { $0.key.kind == key.kind } }
        state.commits += 1
        guard var bytes else {
            if fault == .reusesVersions { state.commits = 0 }
            state.records[key] = nil
            return nil
        }
        let old = state.records[key]
        if fault == .cutsBytes { bytes = Array(bytes.prefix(4_096)) }
        if fault == .keepsOldTail, let old { bytes += old.bytes.dropFirst(bytes.count) }
        let counted = RecordVersion(withUnsafeBytes(of: state.commits.bigEndian) { Array($0) })
        let version = fault == .keepsVersion ? old?.version ?? counted : counted
        state.records[key] = StoredRecord(bytes: bytes, version: version)
        state.everKept.insert(key)
        return version
    }
}
