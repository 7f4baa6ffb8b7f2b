public import Latchkey

/// Moves every record from one store to another: copies each record, reads the copy again, compares, and only then
/// removes the original.
///
/// If the process is killed, run the migration again: it skips what was moved already. The old store keeps a record
/// until its copy was compared. Each credential is locked while it moves, so that no process refreshes it
/// meanwhile. A process that still uses the old store finds it empty afterwards.
public struct StoreMigration<Source: SessionStore, Target: SessionStore>: Sendable {
    /// The result of a migration.
    public struct Report: Hashable, Sendable {
        /// The number of source records that are in the target now.
        public var moved = 0
        /// Records that could not be read, and stay in the source.
        public var unreadable: [StoreKey] = []
    }

    private let source: Source
    private let target: Target

    /// Creates a migration.
    public init(from source: Source, to target: Target) {
        self.source = source
        self.target = target
    }

    /// Moves what can be moved. A record that cannot be read stays, and is reported.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `configuration(.changed)` when both stores have a record of one name and
    ///   they differ, because both were in use; errors of either store. A failure loses nothing.
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
        let holds = try await locks(of: key)
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
                // Code that does not take locks changed the record during the move: the copy is outdated.
                if there == nil, let copy = try await target.read(key), copy.bytes == record.bytes {
                    try await target.replace(key, at: copy.version, with: nil)
                }
            }
        }
        throw AuthError(.busy, "a \(key.kind.rawValue) changes again and again while it is moved")
    }

    /// Takes the locks of a credential in each of the two stores that has locks.
    private func locks(of key: StoreKey) async throws -> [any HeldLock] {
        guard key.kind == .credential else { return [] }
        var holds: [any HeldLock] = []
        for store in [source, target] as [any SessionStore] {
            guard let store = store as? any CrossProcessStore else { continue }
            do {
                holds.append(try await store.lock(key, deadline: .seconds(20)))
            } catch {
                for hold in holds { await hold.release() }
                throw error
            }
        }
        return holds
    }
}
