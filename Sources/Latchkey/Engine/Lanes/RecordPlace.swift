/// Where the record of a credential is stored. Each reading and each commit is observed.
struct RecordPlace: Sendable {
    let key: StoreKey
    /// Whether the credential is one that several people share.
    let isShared: Bool
    /// Whether the key is the one that they share, and not that of one account.
    let sharesKey: Bool
    let store: any SessionStore
    let locks: KeyLocks
    let context: PluginContext

    /// A record and the version it was read at.
    struct Found: Sendable {
        var record: CredentialRecord
        var version: RecordVersion
    }

    /// What a reading found.
    enum Reading: Sendable {
        /// The record is still at the known version.
        case unchanged
        case found(Found?)
    }

    /// What became of a commit.
    enum Commit: Sendable {
        case stored(RecordVersion?)
        case conflict
        /// It may or may not have taken effect: reading again tells.
        case failed(AuthError)
    }

    /// Reads the record. If it is still at the version `known`, its bytes are not parsed.
    ///
    /// - Parameter given: The record, if it was read already, with others.
    nonisolated(nonsending) func read(
        unless known: RecordVersion?, given: StoredRecord? = nil
    ) async throws(AuthError) -> Reading {
        let begun = context.clock.now()
        do {
            let stored = if let given { given } else { try await store.read(key) }
            if let stored, stored.version == known {
                observe(.read, .done, since: begun)
                return .unchanged
            }
            let found = try stored.map { Found(record: try CredentialRecord($0.bytes), version: $0.version) }
            observe(.read, .done, since: begun)
            return .found(found)
        } catch {
            observe(.read, .failed, since: begun, error)
            throw AuthError(error)
        }
    }

    /// Compare-and-swap of the whole record. `nil`: delete.
    ///
    /// - Parameter room: The room that was set aside for it, if it is to be used.
    nonisolated(nonsending) func replace(
        _ record: CredentialRecord?, at version: RecordVersion?, in room: (any StoreReservation)? = nil
    ) async -> Commit {
        let begun = context.clock.now()
        if let record, record.format > CredentialRecord.currentFormat {
            return .failed(Self.isNewer)
        }
        do {
            let stored: RecordVersion?
            if let room, let record {
                stored = try await room.replace(at: version, with: record.bytes())
            } else {
                stored = try await store.replace(key, at: version, with: record?.bytes())
            }
            observe(.replace, .done, since: begun)
            return .stored(stored)
        } catch is StoreConflict {
            observe(.replace, .conflict, since: begun)
            return .conflict
        } catch {
            observe(.replace, .failed, since: begun, error)
            return .failed(AuthError(error))
        }
    }

    /// Sets room aside for the record with what an answer may add to it; `nil` where the store sets none aside.
    ///
    /// - Throws: `store(.full)` where there is none. Whatever else is wrong shows when the record is stored.
    nonisolated(nonsending) func reserve(
        for record: CredentialRecord
    ) async throws(AuthError) -> (any StoreReservation)? {
        guard let store = store as? any ReservingStore else { return nil }
        let size = record.bytes().count
        do {
            return try await store.reserve(key, bytes: max(2 * size, size + Self.growth))
        } catch {
            let trouble = AuthError(error)
            if trouble.code == .store(.full) { throw trouble }
            return nil
        }
    }

    /// How many bytes an answer may add: several tokens of a few thousand bytes each.
    private static let growth = 16_384

    static var isNewer: AuthError {
        AuthError(.store(.newerVersion), "The stored session was written by a newer version of this software.")
    }

    private func observe(
        _ operation: AuthObservation.StoreOperation, _ outcome: AuthObservation.StoreOutcome,
        since begun: MonotonicInstant, _ failure: (any Error)? = nil
    ) {
        context.observer.observe(.store(key.kind, operation, outcome, took: context.clock.now() - begun))
        if let failure { context.observer.observe(.storeFailure(key.kind, operation, AuthError(failure).code)) }
    }
}
