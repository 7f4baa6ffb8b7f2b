import Latchkey

/// The keys of a store's records: the current one, and former ones of records that were not sealed anew yet. The
/// vault has one record for each key, named by the key's ID.
struct KeyRing: Sendable {
    private(set) var keys: [UInt64: Secret] = [:]
    private(set) var current: UInt64 = 0

    init() {}

    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)`.
    init(_ body: VaultBody) throws(AuthError) {
        for (name, record) in body.records {
            guard name.hasPrefix(Self.prefix), let id = UInt64(name.dropFirst(Self.prefix.count)),
                record.value.count == 32
            else { throw VaultFileWire.damaged("holds keys of the wrong form") }
            keys[id] = record.value
            current = max(current, id)
        }
        guard !keys.isEmpty else { throw VaultFileWire.damaged("holds no key") }
    }

    mutating func add(_ key: Secret, id: UInt64) {
        keys[id] = key
        current = max(current, id)
    }

    mutating func keepCurrent() { keys = keys.filter { $0.key == current } }

    func body(at time: UInt64) -> VaultBody {
        var body = VaultBody()
        for (id, key) in keys {
            body.records["\(Self.prefix)\(id)"] = VaultBody.Record(number: id, changedAt: time, value: key)
        }
        return body
    }

    private static let prefix = "key/"
}
