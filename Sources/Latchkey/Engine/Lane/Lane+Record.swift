/// How the record is read and changed.
extension Lane {
    /// The stored record, `nil` if there is none.
    func read() async throws(AuthError) -> Found? {
        guard case .found(let found) = try await read(unless: nil) else { return nil }
        return found
    }

    /// The same; if the record is still at the version `known`, its bytes are not parsed.
    ///
    /// - Parameter given: The record, if it was read already, with others.
    func read(
        unless known: RecordVersion?, given: StoredRecord? = nil
    ) async throws(AuthError) -> RecordPlace.Reading {
        let reading = try await place.read(unless: known, given: given)
        if case .found(let found?) = reading {
            shown.lastRead = (found.record.writeID, found.version)
            adoptEnds(found.record)
        }
        return reading
    }

    /// Deletes a tombstone that owes nothing and whose logins all ended more than a week ago.
    func sweep() async {
        guard let found = try? await read(), found.record.live == nil, found.record.pending.isEmpty,
            found.record.format <= CredentialRecord.currentFormat,
            found.record.ended.allSatisfy({ ended in
                clock.age(of: ended.at).map { $0 > CredentialRecord.pendingLifetime } ?? false
            })
        else { return }
        _ = await commit(nil, at: found.version)
    }

    private func commit(
        _ record: CredentialRecord?, at version: RecordVersion?, isAnswer: Bool = false
    ) async -> RecordPlace.Commit {
        var commit = await place.replace(record, at: version)
        if isAnswer, let room, case .failed(let trouble) = commit, trouble.code == .store(.full) {
            commit = await place.replace(record, at: version, in: room)
            if case .stored = commit { self.room = nil }
        }
        // A commit over the version that is shown is itself about to be shown, by the code that makes it.
        if case .stored(let stored) = commit, shown.version == version { shown.version = stored }
        return commit
    }

    /// Stores `next` if nothing has changed since it was read; otherwise does nothing.
    func tryOnce(_ next: Found) async {
        var record = next.record
        record.writeID = fresh()
        _ = await commit(record, at: next.version)
    }

    /// What a change decides, given the present record.
    enum Amendment<Reason> {
        case store(CredentialRecord)
        /// Nothing is to be stored.
        case stop(Reason)
    }

    /// What became of a change.
    enum Amended<Reason> {
        /// It is stored, as this.
        case stored(Found)
        case stopped(Reason)
        /// It is not stored, though the change still applies to `found`; `nil` if the record could not be read.
        case failed(AuthError, Found?)
    }

    /// Changes the record by compare-and-swap. Reads it, unless it was read already (`known`), and
    /// stores what `change` makes of it. After a conflict, reads and changes it again. After a
    /// failure, reads it too: the commit may have taken effect, or the change may be out of date.
    /// If neither is so, this gives up, since the store would hardly take the change now; but where only
    /// the answer was lost (`store(.unknownOutcome)`), it tries again, since the store answers now.
    ///
    /// With `believesFailure`, a failure is not followed by a reading: the record may be there
    /// without being durable. With `isAnswer`, what does not fit on the disk is stored in the room that was set aside.
    ///
    /// Rows 3, 4 and 6 of `Documentation/Internals/Lane.md`: a conflict loses nothing, a writer recognises
    /// its own write by the write ID, and it does not give up at the first conflict.
    @discardableResult
    func amend<Reason>(
        from known: Found? = nil, believesFailure: Bool = false, isAnswer: Bool = false,
        _ change: (Found?) -> Amendment<Reason>
    ) async -> Amended<Reason> {
        let amended = await amending(from: known, believesFailure: believesFailure, isAnswer: isAnswer, change)
        switch amended {
        case .stored: storeTrouble = nil
        case .stopped: break
        case .failed(let trouble, _): storeTrouble = trouble
        }
        return amended
    }

    private func amending<Reason>(
        from known: Found?, believesFailure: Bool, isAnswer: Bool, _ change: (Found?) -> Amendment<Reason>
    ) async -> Amended<Reason> {
        var found = known
        var isRead = known != nil
        var writes: Set<String> = []
        var failure: AuthError?
        for _ in 0..<Self.commitTries {
            if !isRead {
                do throws(AuthError) { found = try await read() } catch { return .failed(failure ?? error, nil) }
            }
            isRead = false
            if let found, writes.contains(found.record.writeID) { return .stored(found) }
            var next: CredentialRecord
            switch change(found) {
            case .stop(let reason): return .stopped(reason)
            case .store(let record): next = refused.marked(record)
            }
            if let failure, failure.code != .store(.unknownOutcome) { return .failed(failure, found) }
            next.writeID = fresh()
            writes.insert(next.writeID)
            switch await commit(next, at: found?.version, isAnswer: isAnswer) {
            case .stored(let version?):
                if refused.isUnstored { refused.isUnstored = false }
                return .stored(Found(record: next, version: version))
            case .stored(nil), .conflict: break
            case .failed(let trouble) where believesFailure && trouble.code != .store(.unknownOutcome):
                return .failed(trouble, found)
            case .failed(let trouble): failure = trouble
            }
        }
        return .failed(failure ?? AuthError(StoreConflict()), found)
    }

    /// Shows callers what the record says. Nothing is shown of a login that has ended.
    ///
    /// - Parameter change: The change that brought the tokens, if they live in memory.
    func publish(_ record: CredentialRecord, isDurable: Bool = true, bringing change: CredentialChange? = nil) {
        guard let credential = record.credential, !record.logins.allSatisfy(logins.hasEnded) else { return }
        shown.epoch += 1
        noteShown(record.login)
        if let lastRead = shown.lastRead, lastRead.writeID == record.writeID { shown.version = lastRead.version }
        services.recall(record.serverOffset, of: credential.binding)
        services.recall(slowest: record.slowestAnswer, of: credential.binding)
        for var session in credential.sessions where !logins.hasEnded(record.login(of: session)) {
            if isShared { session.tokens = change?.tokens(of: session.id) ?? [:] }
            accounts.publish(refused.marked(session), of: record, credential, under: key, isDurable: isDurable)
        }
    }
}
