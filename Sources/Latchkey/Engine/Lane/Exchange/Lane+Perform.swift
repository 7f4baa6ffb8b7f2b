import LatchkeySystem

/// `perform(on:replay:)`: a provider's own operation, exchanged as a refresh is.
extension Lane {
    /// Runs `work` in the lane, and returns its result once its change is stored.
    ///
    /// - Parameter entry: The account that it is for; `nil` if it is for the people who share the
    ///   credential. If there are none, this throws ``NobodyShares``.
    /// - Parameter shown: The result, if the refreshed credential shows that the service has acted.
    func perform<Result: Sendable>(
        _ entry: AccountEntry?, _ replay: ProviderRules.RefreshRule,
        shown: (@Sendable (_ before: Credential, _ now: Credential) -> Result?)? = nil,
        _ work: @escaping @Sendable (Credential, ProviderContext) async throws -> (CredentialChange, Result)
    ) async throws -> Result {
        let ticket = await enter()
        defer { leave(ticket) }
        if unstored.holdsCredential {
            await storeUnstored()
            guard !unstored.holdsCredential else {
                throw AuthError(.store(.notDurable), "The session could not be stored yet; nothing was sent.")
            }
        }
        let brought = Locked<Swift.Result<Result, any Error>?>(nil)
        var operation = LaneRequest.Operation(entry: entry, replay: replay) { credential, context in
            do {
                let (change, result) = try await work(credential, context)
                brought.withLock { $0 = .success(result) }
                return change
            } catch {
                // A request that is hung up on, because its result shows elsewhere, fails afterwards.
                brought.withLock { brought in if (try? brought?.get()) == nil { brought = .failure(error) } }
                throw error
            }
        }
        if let shown {
            operation.shown = { before, now in
                guard let result = shown(before, now) else { return false }
                brought.withLock { $0 = .success(result) }
                return true
            }
        }
        try check(await exchange(.operation(operation)), entry)
        // A failure whose refresh token was stored is still one for the caller.
        guard let result = brought.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }

    /// Throws the reason if an operation has no result.
    private func check(_ ending: Ending, _ entry: AccountEntry?) throws {
        switch ending {
        case .nobody(let record, let wasLeft): try nobody(entry, record, wasLeft: wasLeft)
        case .late(let trouble), .trouble(let trouble, _, _): throw trouble
        case .heldOff(let waiting):
            throw AuthError(
                .busy, "An earlier request may still be under way.", retryAfter: waiting.until - clock.now())
        case .adopted: throw CancellationError()
        case .unchanged:
            // Nothing changed, so nothing is stored.
            if let entry, logins.hasEnded(entry.login) { try nobody(entry, nil, wasLeft: true) }
        case .answered(let result, let isJoined):
            if result.outcome == .signedOut, entry != nil || isJoined { _ = try result.handedOut.get() }
            if isJoined, let trouble = result.trouble, case .store = trouble.code { throw trouble }
        case .refused(let refusal, let result):
            _ = try result?.handedOut.get()
            throw AuthError(refusal, provider: entry?.binding.provider)
        }
    }

    private func nobody(_ entry: AccountEntry?, _ record: CredentialRecord?, wasLeft: Bool) throws {
        guard let entry else { throw NobodyShares() }
        _ = try lost(Want(account: entry.account), record, wasLeft: wasLeft).handedOut.get()
        throw CancellationError()
    }
}

/// Nobody is signed in on the credential that people could share.
struct NobodyShares: Error {}
