/// How the record is read and changed.
extension Lane {
    /// The stored record, `nil` if there is none.
    func read() async throws(AuthError) -> Found? {
        guard case .found(let found) = try await read(unless: nil) else { return nil }
        return found
    }

    /// The same; at the version `known` the bytes are not opened.
    func read(unless known: RecordVersion?) async throws(AuthError) -> RecordPlace.Reading {
        let reading = try await place.read(unless: known)
        if case .found(let found?) = reading {
            shown.lastRead = (found.record.writeID, found.version)
            adoptEnds(found.record)
        }
        return reading
    }

    /// Deletes a record that says nothing any more and has said nothing for a week.
    func sweep() async {
        guard let found = try? await read(), found.record.live == nil, found.record.pending.isEmpty,
            found.record.format <= CredentialRecord.currentFormat,
            found.record.ended.allSatisfy({ ended in
                clock.age(of: ended.at).map { $0 > CredentialRecord.pendingLifetime } ?? false
            })
        else { return }
        _ = await commit(nil, at: found.version)
    }

    private func commit(_ record: CredentialRecord?, at version: RecordVersion?) async -> RecordPlace.Commit {
        let commit = await place.replace(record, at: version)
        // A change over what is shown is shown by whoever makes it.
        if case .stored(let stored) = commit, shown.version == version { shown.version = stored }
        return commit
    }

    /// Stores `next` if nothing has changed since it was read, and else lets it be.
    func tryOnce(_ next: Found) async {
        var record = next.record
        record.writeID = fresh()
        _ = await commit(record, at: next.version)
    }

    /// What a change of the record decides, given what is there.
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
        /// It is not stored, though `found` still wants it; `nil`: what is there could not be read.
        case failed(AuthError, Found?)
    }

    /// One compare-and-swap. Reads the record, unless it was read already (`known`), and stores what `change` makes of it.
    /// After a conflict it is read and changed anew. After a failure it is read too: the commit may have taken effect, or
    /// the change be out of date; else that is the end of it, since the store would hardly take it now.
    ///
    /// With `believesFailure` it is not read then: what failed may be there and not durable.
    ///
    /// Rows 3, 4 and 6 of `Documentation/Lane.md`: a conflict is no loss, what was written is recognised by its write ID,
    /// and nobody gives up at the first conflict.
    @discardableResult
    func amend<Reason>(
        from known: Found? = nil, believesFailure: Bool = false, _ change: (Found?) -> Amendment<Reason>
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
            case .store(let record): next = record
            }
            if let failure { return .failed(failure, found) }
            next.writeID = fresh()
            writes.insert(next.writeID)
            switch await commit(next, at: found?.version) {
            case .stored(let version?): return .stored(Found(record: next, version: version))
            case .stored(nil), .conflict: break
            case .failed(let trouble) where believesFailure: return .failed(trouble, found)
            case .failed(let trouble): failure = trouble
            }
        }
        return .failed(failure ?? AuthError(StoreConflict()), found)
    }

    /// Shows callers what the record says. Nothing is shown of a login that has ended.
    ///
    /// - Parameter change: What brought the tokens, if they live in memory.
    func publish(_ record: CredentialRecord, isDurable: Bool = true, bringing change: CredentialChange? = nil) {
        guard let credential = record.credential, !record.logins.allSatisfy(logins.hasEnded) else { return }
        shown.epoch += 1
        noteShown(record.login)
        if let lastRead = shown.lastRead, lastRead.writeID == record.writeID { shown.version = lastRead.version }
        services.recall(record.serverOffset, of: credential.binding)
        for var session in credential.sessions where !logins.hasEnded(record.login(of: session)) {
            if isShared { session.tokens = change?.tokens(of: session.id) ?? [:] }
            accounts.publish(session, of: record, credential, under: key, isDurable: isDurable)
        }
    }
}
