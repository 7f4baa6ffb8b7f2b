import Latchkey

/// A record as the keyring's item holds it, before base64url: the format (1 byte), the version (16 bytes), the kind
/// (its length in one byte, its text), the name (its length in two bytes, most significant first, its UTF-8), the
/// content.
struct KeyringRecordWire: Sendable {
    static let format: UInt8 = 1
    static let versionLength = 16

    var key: StoreKey
    var version: RecordVersion
    var bytes: [UInt8]

    init(key: StoreKey, version: RecordVersion, bytes: [UInt8]) {
        (self.key, self.version, self.bytes) = (key, version, bytes)
    }

    init(_ text: Secret) throws {
        let damaged = AuthError(.store(.damaged), "the keyring's item holds no record")
        var all = try text.decoded().reveal()
        defer { all.wipe() }
        var rest = all[...]
        func take(_ count: Int) throws -> ArraySlice<UInt8> {
            guard rest.count >= count else { throw damaged }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        let format = try take(1).first ?? 0
        guard format <= Self.format else {
            throw AuthError(.store(.newerVersion), "the keyring's item was written by a newer version")
        }
        guard format == Self.format else { throw damaged }
        version = RecordVersion(Array(try take(Self.versionLength)))
        let kind = try take(Int(try take(1).first ?? 0))
        let length = try take(2).reduce(0) { $0 << 8 | Int($1) }
        guard let kind = String(validating: kind, as: UTF8.self).flatMap(StoreKey.Kind.init),
            let name = String(validating: try take(length), as: UTF8.self)
        else { throw damaged }
        key = StoreKey(kind, name)
        bytes = Array(rest)
    }

    func text() -> Secret {
        let kind = Array(key.kind.rawValue.utf8)
        let name = Array(key.name.utf8)
        var all = [Self.format] + version.bytes + [UInt8(kind.count)] + kind
        all += [UInt8(name.count >> 8), UInt8(name.count & 0xFF)] + name + bytes
        defer { all.wipe() }
        return Secret(all).encoded()
    }
}
