/// Keeps the documents of services in the store. What the store does not take or give is asked for again, so no failure
/// of it is reported.
actor DocumentShelf {
    private static let tries = 3

    private let store: any SessionStore
    private let clock: any AuthClock
    private let trust: String
    /// What was fetched since the last ``store(_:)``.
    private var fetched: [ProviderBinding: [String: DocumentRecord.Entry]] = [:]

    /// Creates a shelf; `nil` if the store is no place for it.
    ///
    /// - Parameter transport: What fetches the documents.
    init?(_ store: any SessionStore, _ transport: any HTTPTransport, _ clock: any AuthClock) {
        guard !(store is any DocumentlessStore) else { return nil }
        (self.store, self.clock) = (store, clock)
        trust = (transport as? any TrustNaming)?.trust ?? ""
    }

    func read(_ address: String, of binding: ProviderBinding) async -> ServiceDocuments.Document? {
        guard let stored = try? await store.read(key(binding)), let record = try? DocumentRecord(stored.bytes),
            record.trust == trust, let entry = record.entries[address], let rest = entry.rest(by: clock)
        else { return nil }
        return ServiceDocuments.Document(
            body: Array(entry.body.utf8), age: entry.lifetime - rest, rest: rest)
    }

    func note(_ body: [UInt8], from address: String, for lifetime: Duration, of binding: ProviderBinding) {
        guard body.count <= ServiceDocuments.limit, let text = String(validating: body, as: UTF8.self) else { return }
        fetched[binding, default: [:]][address] = DocumentRecord.Entry(
            body: text, since: clock.stamp, lifetime: min(lifetime, ServiceDocuments.longest))
    }

    func forget(_ addresses: [String], of binding: ProviderBinding) async {
        for address in addresses { fetched[binding]?[address] = nil }
        await change(binding, isForgetting: true) { record in
            for address in addresses { record.entries[address] = nil }
        }
    }

    /// Stores what was fetched: a call that used it has succeeded.
    func store(_ binding: ProviderBinding) async {
        guard let fetched = fetched.removeValue(forKey: binding), !fetched.isEmpty else { return }
        await change(binding) { $0.entries.merge(fetched) { $1 } }
    }

    /// - Parameter isForgetting: Whether a record that is not there, or not readable, is left alone.
    private func change(
        _ binding: ProviderBinding, isForgetting: Bool = false, _ edit: (inout DocumentRecord) -> Void
    ) async {
        for _ in 0..<Self.tries {
            guard let stored = try? await found(binding) else { return }
            let known = stored.bytes.flatMap { try? DocumentRecord($0) }
            guard known.map(\.isCurrent) ?? !isForgetting else { return }
            var record = known.flatMap { $0.trust == trust ? $0 : nil } ?? DocumentRecord(trust: trust)
            let before = record
            edit(&record)
            record.tidy(by: clock)
            guard record != before else { return }
            do {
                try await store.replace(key(binding), at: stored.version, with: record.bytes())
                return
            } catch  where error.isSettledByReading { continue } catch { return }
        }
    }

    private func found(_ binding: ProviderBinding) async throws -> (bytes: [UInt8]?, version: RecordVersion?) {
        let stored = try await store.read(key(binding))
        return (stored?.bytes, stored?.version)
    }

    private func key(_ binding: ProviderBinding) -> StoreKey {
        StoreKey(.settings, "documents \(binding.provider.name) \(binding.authority) \(binding.client)")
    }
}
