import Latchkey

/// The plain content of a vault: its records, each with its number, and the time of its last change.
struct VaultBody: Sendable {
    struct Record: Sendable {
        var number: UInt64
        /// Milliseconds since 1970.
        var changedAt: UInt64
        var flags: UInt32 = 0
        var value: Secret
    }

    static let padding = 1_024
    /// The records by their name in the vault, which is the kind, a slash and the key's name.
    var records: [String: Record] = [:]

    static func name(of key: StoreKey) -> String { "\(key.kind.rawValue)/\(key.name)" }

    static func key(named name: String) -> StoreKey? {
        guard let slash = name.firstIndex(of: "/"), let kind = StoreKey.Kind(rawValue: String(name[..<slash])) else {
            return nil
        }
        return StoreKey(kind, String(name[name.index(after: slash)...]))
    }

    init() {}

    /// Reads the plain text: the number of records in 4 bytes; for each record the length of its name in 2, the
    /// name, its number and time in 8 each, flags in 4, the length of its value in 4, the value; then zeros up to a
    /// multiple of 1,024.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)`.
    init(_ plain: Secret) throws(AuthError) {
        self = try plain.withBytes { plain throws(AuthError) in
            do throws(AuthError) {
                return try VaultBody(reading: plain)
            } catch {
                throw VaultFileWire.damaged("holds records of the wrong form")
            }
        }
    }

    private init(reading plain: UnsafeRawBufferPointer) throws(AuthError) {
        var offset = 0
        func number(_ length: Int) throws(AuthError) -> UInt64 {
            guard length <= plain.count - offset else { throw VaultFileWire.damaged("") }
            defer { offset += length }
            return plain[offset..<offset + length].reduce(0) { $0 << 8 | UInt64($1) }
        }
        func range(_ length: UInt64) throws(AuthError) -> Range<Int> {
            guard length <= UInt64(plain.count - offset) else { throw VaultFileWire.damaged("") }
            defer { offset += Int(length) }
            return offset..<offset + Int(length)
        }
        let count = try number(4)
        // Each record takes at least 26 bytes.
        guard count <= UInt64(plain.count / 26 + 1) else { throw VaultFileWire.damaged("") }
        records.reserveCapacity(Int(count))
        for _ in 0..<count {
            let place = try range(try number(2))
            guard let name = String(validating: plain[place], as: UTF8.self) else { throw VaultFileWire.damaged("") }
            let (version, time) = (try number(8), try number(8))
            let flags = UInt32(try number(4))
            let value = try range(try number(4))
            let secret = Secret(copying: UnsafeRawBufferPointer(rebasing: plain[value]))
            let record = Record(number: version, changedAt: time, flags: flags, value: secret)
            guard records.updateValue(record, forKey: name) == nil else { throw VaultFileWire.damaged("") }
        }
        guard plain[offset...].allSatisfy({ $0 == 0 }), plain.count % Self.padding == 0,
            plain.count - offset < Self.padding
        else {
            throw VaultFileWire.damaged("")
        }
    }

    /// Returns the plain text. Wipe it after use.
    func plain() -> [UInt8] {
        let size = records.reduce(4) { $0 + 26 + $1.key.utf8.count + $1.value.value.count }
        var plain: [UInt8] = []
        plain.reserveCapacity(size + Self.padding)
        plain += VaultFileWire.bigEndian(UInt64(records.count), 4)
        for (name, record) in records.sorted(by: { $0.key < $1.key }) {
            plain += VaultFileWire.bigEndian(UInt64(name.utf8.count), 2)
            plain += Array(name.utf8)
            plain += VaultFileWire.bigEndian(record.number, 8) + VaultFileWire.bigEndian(record.changedAt, 8)
            plain += VaultFileWire.bigEndian(UInt64(record.flags), 4)
            plain += VaultFileWire.bigEndian(UInt64(record.value.count), 4)
            record.value.withBytes { plain.append(contentsOf: $0) }
        }
        plain += [UInt8](repeating: 0, count: (Self.padding - plain.count % Self.padding) % Self.padding)
        return plain
    }
}
