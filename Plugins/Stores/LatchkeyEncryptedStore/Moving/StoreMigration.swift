public import Latchkey

/// Moves every record from one store to another: copies, reads the copies again, compares, and only then removes.
///
/// Killed at any point, it goes on when it is run again: what is at both places and the same is moved already. Until a
/// record was compared, the old store has it. The lane of each credential is held while it moves, so that nobody refreshes
/// what is on its way; a process that uses the old store finds it empty afterwards.
public struct StoreMigration<Source: SessionStore, Target: SessionStore>: Sendable {
    /// What came of it.
    public struct Report: Hashable, Sendable {
        /// How many records are in the target now that were in the source.
        public var moved = 0
        /// Records that could not be read, and stay where they are.
        public var unreadable: [StoreKey] = []
    }

    private let source: Source
    private let target: Target

    /// A migration.
    public init(from source: Source, to target: Target) {
        self.source = source
        self.target = target
    }

    /// Moves what can be moved. A record that cannot be read stays, and is reported.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.changed)` when both stores have a record of one name and they
    ///   differ: somebody has used both. What either store throws. Nothing is lost by a failure.
    public func run() async throws -> Report {
        var report = Report()
        for kind in StoreKey.Kind.allCases {
            for key in try await source.keys(kind).sorted(by: { $0.name < $1.name }) {
                do {
                    if try await move(key) { report.moved += 1 }
                } catch let error as AuthError where error.code == .store(.damaged) || error.code == .store(.tampered) {
                    report.unreadable.append(key)
                }
            }
        }
        return report
    }

    private func move(_ key: StoreKey) async throws -> Bool {
        let holds = try await lanes(of: key)
        do {
            let isMoved = try await moveHeld(key)
            for hold in holds { await hold.release() }
            return isMoved
        } catch {
            for hold in holds { await hold.release() }
            throw error
        }
    }

    private func moveHeld(_ key: StoreKey) async throws -> Bool {
        for _ in 0..<16 {
            guard let record = try await source.read(key) else { return false }
            let there = try await target.read(key)
            guard there == nil || there?.bytes == record.bytes else {
                throw AuthError(
                    .configuration(.changed),
                    "both stores have a \(key.kind.rawValue) of one name, and they differ; remove one of them")
            }
            do {
                if there == nil { try await target.replace(key, at: nil, with: record.bytes) }
                guard try await target.read(key)?.bytes == record.bytes else {
                    throw AuthError(.store(.notDurable), "the new store does not give back what was written to it")
                }
                try await source.replace(key, at: record.version, with: nil)
                return true
            } catch is StoreConflict {
                // Somebody was faster than the move, who does not hold lanes: the copy is of no use any more.
                if there == nil, let copy = try await target.read(key), copy.bytes == record.bytes {
                    try await target.replace(key, at: copy.version, with: nil)
                }
            }
        }
        throw AuthError(.busy, "a \(key.kind.rawValue) changes again and again while it is moved")
    }

    /// The lanes of a credential in both stores, as far as they have any.
    private func lanes(of key: StoreKey) async throws -> [any LaneHold] {
        guard key.kind == .credential else { return [] }
        var holds: [any LaneHold] = []
        for store in [source, target] as [any SessionStore] {
            guard let store = store as? any CrossProcessStore else { continue }
            do {
                holds.append(try await store.lane(key, deadline: .seconds(20)))
            } catch {
                for hold in holds { await hold.release() }
                throw error
            }
        }
        return holds
    }
}
