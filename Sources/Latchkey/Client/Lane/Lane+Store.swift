extension Lane {
    /// A record and the version it was read at.
    struct Found: Sendable {
        var record: CredentialRecord
        var version: RecordVersion
    }

    /// What became of a commit.
    enum Commit: Sendable {
        case stored(RecordVersion?)
        case conflict
        /// It may or may not have taken effect: re-reading tells.
        case failed(AuthError)
    }

    /// What a reading found.
    enum Reading: Sendable {
        /// The version that was known already.
        case unchanged
        case found(Found?)
    }

    /// The stored record, `nil` when there is none.
    func read() async throws(AuthError) -> Found? {
        guard case .found(let found) = try await read(unless: nil) else { return nil }
        return found
    }

    /// The same; at the version `known` the bytes are not opened.
    func read(unless known: RecordVersion?) async throws(AuthError) -> Reading {
        let begun = clock.now()
        do {
            let stored = try await engine.store.read(key)
            if let stored, stored.version == known {
                observe(.read, .done, since: begun)
                return .unchanged
            }
            let found = try stored.map { Found(record: try CredentialRecord($0.bytes), version: $0.version) }
            if let found { lastRead = (found.record.writeID, found.version) }
            observe(.read, .done, since: begun)
            if let found { heed(found.record) }
            return .found(found)
        } catch {
            observe(.read, .failed, since: begun)
            throw AuthError(error)
        }
    }

    /// Deletes a record that says nothing any more and has said nothing for a week.
    func sweep() async {
        guard let found = try? await read(), found.record.credential == nil, found.record.pending.isEmpty,
            found.record.format <= CredentialRecord.currentFormat,
            found.record.ended.allSatisfy({ ended in
                clock.age(of: ended.at).map { $0 > CredentialRecord.pendingLifetime } ?? false
            })
        else { return }
        _ = await commit(nil, at: found.version)
    }

    /// Compare-and-swap of the whole record. `nil`: delete.
    func commit(_ record: CredentialRecord?, at version: RecordVersion?) async -> Commit {
        let begun = clock.now()
        if let record, record.format > CredentialRecord.currentFormat {
            return .failed(
                AuthError(.store(.newerVersion), "The stored session was written by a newer version of this software."))
        }
        do {
            let stored = try await engine.store.replace(key, at: version, with: record?.bytes())
            observe(.replace, .done, since: begun)
            // A change over what is shown is shown by whoever makes it.
            if shown == version { shown = stored }
            return .stored(stored)
        } catch is StoreConflict {
            observe(.replace, .conflict, since: begun)
            return .conflict
        } catch {
            observe(.replace, .failed, since: begun)
            return .failed(AuthError(error))
        }
    }

    func observe(
        _ operation: AuthObservation.StoreOperation, _ outcome: AuthObservation.StoreOutcome,
        since begun: MonotonicInstant
    ) {
        engine.context.observer.observe(.store(key.kind, operation, outcome, took: clock.now() - begun))
    }

    /// A name for something new.
    func fresh() -> String { engine.context.randomName() }

    /// Shows callers what the record says. Nothing is shown of a login that has ended.
    ///
    /// - Parameter change: Where tokens live in memory, what brought them.
    func publish(_ record: CredentialRecord, isDurable: Bool = true, bringing change: CredentialChange? = nil) {
        guard let credential = record.credential, !record.logins.allSatisfy(isForgotten) else { return }
        epoch += 1
        noteShown(record.login)
        if let lastRead, lastRead.writeID == record.writeID { shown = lastRead.version }
        let binding = credential.binding
        engine.recall(record.serverOffset, of: binding)
        for var session in credential.sessions where !isForgotten(record.login(of: session)) {
            if isShared { session.tokens = change?.tokens(of: session.id) ?? [:] }
            engine.publish(session, of: record, credential, under: key, isDurable: isDurable)
        }
    }
}
