import LatchkeySystem

/// Accounts that are read when a call names them, for stores that hold very many.
extension StoreReader {
    /// Whether accounts are read one by one (``EngineSettings/AccountReading/whenNamed``).
    var opensByName: Bool { services.settings.accounts == .whenNamed }

    /// Reads the record of `account`, unless it is shown already or all were read at the first use. However many callers
    /// ask, it is read once.
    ///
    /// - Throws: Why it cannot be read. Nothing of that is kept: a name may be whatever somebody typed.
    func open(_ account: AccountID) async throws(AuthError) {
        guard opensByName, accounts.entry(account) == nil else { return }
        let (flight, isNew) = accounts.openings.join(account)
        if isNew {
            // A task of its own: the caller that began may leave, and others wait for it.
            services.context.start("open account") { [self] in
                accounts.openings.end(account, await read(account))
            }
        }
        try await flight.value()
    }

    private func read(_ account: AccountID) async -> Result<Void, AuthError> {
        let own = StoreKey(.credential, account.value)
        do throws(AuthError) {
            // A credential that people share is read at the first use, and followed from then on.
            if let failure = try await readable(own) { return .failure(failure) }
            await lanes.keepOneSession(of: account)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Whether a change of the record under `key` is of interest: something of it is shown, or about to be.
    func follows(_ key: StoreKey) -> Bool {
        guard opensByName, !services.sharedKeys.contains(key) else { return true }
        return accounts.openings.contains(under: key) || !accounts.entries(under: key).isEmpty
    }

    /// The keys that are read whenever the store is: of credentials that people share, and of the accounts that are shown.
    var openedKeys: [StoreKey] {
        services.sharedKeys.union(accounts.table.entries.map(\.key)).sorted { $0.name < $1.name }
    }

    /// The records under `keys` as far as they can be read together, for the first reading of the store. Each that is
    /// missing is read alone, and its error told.
    func readTogether(_ keys: ArraySlice<StoreKey>) async throws -> [StoreKey: StoredRecord] {
        guard keys.count > 1, !accounts.table.isRestored else { return [:] }
        return try await store.records(Array(keys)).compactMapValues { try? $0.get() }
    }
}
