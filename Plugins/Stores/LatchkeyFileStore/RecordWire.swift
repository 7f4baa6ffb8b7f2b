import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// A record's file: one line of JSON that says what it is, a line feed, and the record's bytes as they are.
///
/// `{"format":1,"kind":"credential","name":"…","sha256":"…","size":42,"version":"…"}`. The digest is over the bytes
/// and detects damage, not malice. Unknown members are ignored; a change that readers must understand takes a new
/// format.
struct RecordWire {
    static let format: Int64 = 1
    /// A name of 4,096 bytes takes six times as many if every byte must be escaped.
    static let headerLimit = 32_768
    static let payloadLimit = 16 << 20
    static let suffix = ".record"
    static let lockSuffix = ".lane"
    static let temporarySuffix = ".tmp"
    static let roomSuffix = ".room"
    static let lockName = "store.lock"

    /// Whether `file` is a record in its place, and not one that a writer is about to put there.
    static func isRecord(_ file: String) -> Bool { file.hasSuffix(suffix) && !file.hasPrefix(".") }

    var key: StoreKey
    var version: RecordVersion
    var payload: [UInt8]

    var record: StoredRecord { StoredRecord(bytes: payload, version: version) }

    init(key: StoreKey, version: RecordVersion, payload: [UInt8]) {
        self.key = key
        self.version = version
        self.payload = payload
    }

    /// The kind and the first half of the name's SHA-256, which is a valid file name for any key.
    static func stem(of key: StoreKey) -> String {
        "\(key.kind.rawValue)-\(hexadecimal(Checksum.sha256(Array(key.name.utf8)).prefix(16)))"
    }

    /// The file that has room for the next change of the record of `key`.
    static func room(of key: StoreKey) -> String { ".\(stem(of: key))\(roomSuffix)" }

    /// The most bytes of the line before the record's own.
    static func headerLimit(of key: StoreKey) -> Int { 6 * key.name.utf8.count + 512 }

    static func version(_ text: String) -> RecordVersion { RecordVersion(Array(text.utf8)) }

    func bytes() -> [UInt8] {
        let header: JSON = [
            "format": .integer(Self.format), "kind": .string(key.kind.rawValue), "name": .string(key.name),
            "sha256": .string(Self.hexadecimal(Checksum.sha256(payload)[...])), "size": .integer(Int64(payload.count)),
            "version": .string(String(decoding: version.bytes, as: UTF8.self)),
        ]
        return header.serialized() + [0x0A] + payload
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

// MARK: Reading

extension RecordWire {
    /// Reads a file's content; `path` is for the error's message.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)` or `store(.newerVersion)`.
    init(_ bytes: [UInt8], at path: String) throws {
        let (key, version, header, end) = try Self.header(of: bytes, at: path)
        self.init(key: key, version: version, payload: Array(bytes[(end + 1)...]))
        do {
            guard try header["size"].integer() == Int64(payload.count) else {
                throw AuthError(.store(.damaged), "\(path) has another size than its header says")
            }
            guard try header["sha256"].string() == Self.hexadecimal(Checksum.sha256(payload)[...]) else {
                throw AuthError(.store(.damaged), "\(path) has another content than its header says")
            }
        } catch let error as JSONError {
            throw Self.unreadable(error, at: path)
        }
    }

    /// Reads whose record it is, whether the record's bytes are whole or not.
    static func key(of bytes: [UInt8], at path: String) throws -> StoreKey { try header(of: bytes, at: path).key }

    /// Returns what is left of a record whose header is whole.
    static func remains(of bytes: [UInt8]) -> (key: StoreKey, bytes: [UInt8])? {
        guard let (key, _, header, end) = try? header(of: bytes, at: ""), let size = try? header["size"].integer()
        else { return nil }
        return (key, Array(bytes[(end + 1)...].prefix(Int(clamping: max(0, size)))))
    }

    private static func header(
        of bytes: [UInt8], at path: String
    ) throws -> (key: StoreKey, version: RecordVersion, members: JSONField, end: Int) {
        guard let end = bytes.prefix(Self.headerLimit).firstIndex(of: 0x0A) else {
            throw AuthError(.store(.damaged), "\(path) has no header line")
        }
        do {
            let header = JSONField(try JSON.parse(Array(bytes[..<end]), reader: .portable))
            let format = try header["format"].integer()
            guard format <= Self.format else {
                throw AuthError(.store(.newerVersion), "\(path) has the newer format \(format)")
            }
            let kind = StoreKey.Kind(rawValue: try header["kind"].string())
            let name = try header["name"].string()
            let version = try header["version"].string()
            guard format == Self.format, let kind, version.utf8.count == 32 else {
                throw AuthError(.store(.damaged), "\(path) has a header of the wrong form")
            }
            return (StoreKey(kind, name), Self.version(version), header, end)
        } catch let error as JSONError {
            throw unreadable(error, at: path)
        }
    }

    private static func unreadable(_ error: JSONError, at path: String) -> AuthError {
        AuthError(.store(.damaged), "\(path) has a header that cannot be read: \(error)")
    }
}
