import Latchkey
import LatchkeyCrypto

/// One sealed record, LKR1, as a backend keeps it in place of the plain record.
///
/// | Offset | Length | Content |
/// | --- | --- | --- |
/// | 0 | 4 | `LKR1` |
/// | 4 | 1 | suite: 1 AES-256-GCM, 2 ChaCha20-Poly1305 |
/// | 5 | 1 | flags, 0 |
/// | 6 | 2 | 0 |
/// | 8 | 8 | the key's id |
/// | 16 | 8 | the record's number, which grows with each write |
/// | 24 | 32 | salt, new for each write |
/// | 56 | | ciphertext and its tag of 16 bytes |
///
/// Integers are big-endian. Key and nonce are derived from the key, the salt and the words `latchkey/v1/record` by
/// HKDF-SHA256. The first 24 bytes, the namespace and the record's name are authenticated with the text, so that
/// someone with access to the backend can neither swap nor rename records, nor change a record's number.
struct RecordEnvelope {
    static let headLength = 24
    static let saltLength = 32
    static let overhead = headLength + saltLength + AEAD.tagLength
    private static let magic = Array("LKR1".utf8)
    private static let info = Array("latchkey/v1/record".utf8)

    var suite: VaultSuite
    var keyID: UInt64
    var number: UInt64
    private var bytes: [UInt8]

    /// Reads the head of an envelope. Needs no key.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)`, `store(.newerVersion)`.
    init(_ bytes: [UInt8]) throws(AuthError) {
        guard bytes.count >= Self.overhead, bytes.starts(with: Self.magic) else {
            throw AuthError(.store(.damaged), "the record is no sealed one")
        }
        guard let suite = VaultSuite(rawValue: bytes[4]), bytes[5...7].allSatisfy({ $0 == 0 }) else {
            throw AuthError(.store(.newerVersion), "the record is sealed in a newer way")
        }
        self.suite = suite
        self.bytes = bytes
        keyID = Self.number(bytes[8..<16])
        number = Self.number(bytes[16..<24])
    }

    /// Decrypts the record.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.tampered)`: key, name, namespace, head and text do not belong together.
    func open(with secret: Secret, namespace: String, name: String) throws(AuthError) -> [UInt8] {
        let salt = Array(bytes[Self.headLength..<Self.headLength + Self.saltLength])
        do throws(CryptoError) {
            return try Self.withKey(secret, salt: salt) { key32, nonce throws(CryptoError) in
                try AEAD(suite.algorithm).open(
                    Array(bytes[(Self.headLength + Self.saltLength)...]), key: key32, nonce: nonce,
                    authenticating: Self.context(Array(bytes[..<Self.headLength]), namespace, name))
            }
        } catch {
            throw AuthError(.store(.tampered), "the record was not sealed with this key and name")
        }
    }

    /// Returns the envelope around `plain`.
    ///
    /// - Parameter salt: 32 bytes, never used before.
    static func seal(
        _ plain: [UInt8], with secret: Secret, id: UInt64, number: UInt64, salt: [UInt8], namespace: String,
        name: String, suite: VaultSuite
    ) throws(AuthError) -> [UInt8] {
        let head = magic + [suite.rawValue, 0, 0, 0] + bigEndian(id) + bigEndian(number)
        do throws(CryptoError) {
            let sealed = try withKey(secret, salt: salt) { key32, nonce throws(CryptoError) in
                try AEAD(suite.algorithm).seal(
                    plain, key: key32, nonce: nonce, authenticating: context(head, namespace, name))
            }
            return head + salt + sealed
        } catch {
            throw AuthError(.store(.unavailable), "a record cannot be sealed: \(error.reason)")
        }
    }

    private static func context(_ head: [UInt8], _ namespace: String, _ name: String) -> [UInt8] {
        let name = Array(name.utf8)
        let namespace = Array(namespace.utf8)
        return info + head + length(namespace) + namespace + length(name) + name
    }

    private static func withKey<Value>(
        _ secret: Secret, salt: [UInt8], _ body: ([UInt8], [UInt8]) throws(CryptoError) -> Value
    ) throws(CryptoError) -> Value {
        var key = secret.reveal()
        defer { Wiping.wipe(&key) }
        var material = try KeyDerivation.derive(from: key, salt: salt, info: info, length: 44)
        defer { Wiping.wipe(&material) }
        var key32 = Array(material[..<32])
        defer { Wiping.wipe(&key32) }
        return try body(key32, Array(material[32...]))
    }

    private static func length(_ bytes: [UInt8]) -> [UInt8] { Array(bigEndian(UInt64(bytes.count)).suffix(4)) }

    static func bigEndian(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
    }

    static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
