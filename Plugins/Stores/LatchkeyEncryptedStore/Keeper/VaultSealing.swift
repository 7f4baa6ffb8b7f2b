import Latchkey
import LatchkeyCrypto

/// What is done with a vault's key once it is known. Pure: no state, no time, no disk.
enum VaultSealing {
    private static let slotInfo = Array("latchkey/v1/slot".utf8)
    private static let headerInfo = Array("latchkey/v1/header".utf8)
    private static let bodyInfo = Array("latchkey/v1/body".utf8)

    /// Returns the vault's key if `slot` was made with `wrappingKey`.
    ///
    /// The commitment is compared first. Neither cipher commits to its key, so this is what tells a wrong key from
    /// damage.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.tampered)`.
    static func unwrap(
        _ slot: VaultSlot, with wrappingKey: Secret, of header: VaultHeader
    ) throws(AuthError) -> Secret? {
        var material = try derive(wrappingKey, salt: slot.salt, info: slotInfo, length: 76)
        defer { Wiping.wipe(&material) }
        guard constantTimeEqual(Array(material[44...]), slot.commitment) else { return nil }
        var key = Array(material[..<32])
        defer { Wiping.wipe(&key) }
        do throws(CryptoError) {
            var plain = try AEAD(header.suite.algorithm).open(
                slot.wrapped, key: key, nonce: Array(material[32..<44]),
                authenticating: slotInfo + header.id.bytes + VaultFileWire.bigEndian(UInt64(header.epoch), 4)
                    + slot.head)
            defer { Wiping.wipe(&plain) }
            return Secret(plain)
        } catch {
            throw tampered("a slot")
        }
    }

    /// Returns a slot in which `wrappingKey` wraps the vault's key.
    ///
    /// - Parameter salt: 32 bytes, never used before.
    static func wrap(
        _ vaultKey: Secret, with wrappingKey: Secret, kind: VaultSlot.Kind, index: UInt16, salt: [UInt8],
        suite: VaultSuite, id: VaultID, epoch: UInt32
    ) throws(AuthError) -> VaultSlot {
        var material = try derive(wrappingKey, salt: salt, info: slotInfo, length: 76)
        defer { Wiping.wipe(&material) }
        var key = Array(material[..<32])
        defer { Wiping.wipe(&key) }
        let (type, parameters) = kind.wire
        let head = VaultSlot(
            index: index, kind: kind, type: type, flags: 0, parameters: parameters, salt: salt, commitment: [],
            wrapped: [])
        do throws(CryptoError) {
            let wrapped = try Wiping.lending(vaultKey) { plain throws(CryptoError) in
                try AEAD(suite.algorithm).seal(
                    plain, key: key, nonce: Array(material[32..<44]),
                    authenticating: slotInfo + id.bytes + VaultFileWire.bigEndian(UInt64(epoch), 4) + head.head)
            }
            return VaultSlot(
                index: index, kind: kind, type: type, flags: 0, parameters: parameters, salt: salt,
                commitment: Array(material[44...]), wrapped: wrapped)
        } catch {
            throw AuthError(.store(.unavailable), "the vault's key cannot be wrapped: \(error.reason)")
        }
    }

    /// Checks that the head was written with `vaultKey`.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.tampered)`.
    static func check(_ header: VaultHeader, with vaultKey: Secret) throws(AuthError) {
        guard constantTimeEqual(try code(of: header.authenticated, id: header.id, vaultKey), header.code) else {
            throw tampered("its head")
        }
    }

    /// Decrypts the records in the body of a vault, after its head was checked.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.tampered)`.
    static func unseal(_ body: ArraySlice<UInt8>, of header: VaultHeader, with vaultKey: Secret) throws(AuthError)
        -> Secret
    {
        let salt = Array(body.prefix(VaultFileWire.saltLength))
        var material = try derive(vaultKey, salt: salt, info: bodyInfo, length: 44)
        defer { Wiping.wipe(&material) }
        var key = Array(material[..<32])
        defer { Wiping.wipe(&key) }
        do throws(CryptoError) {
            var plain = try AEAD(header.suite.algorithm).open(
                Array(body.dropFirst(VaultFileWire.saltLength)), key: key, nonce: Array(material[32...]),
                authenticating: Checksum.sha256(header.bytes))
            defer { Wiping.wipe(&plain) }
            return Secret(plain)
        } catch {
            throw tampered("its records")
        }
    }

    /// Seals a whole vault.
    ///
    /// - Parameter salt: 32 bytes, never used before. It gives each generation a key of its own, so that no nonce
    ///   is used twice, even when a machine is cloned.
    static func seal(
        _ records: Secret, suite: VaultSuite, id: VaultID, generation: UInt64, epoch: UInt32, writtenAt: UInt64,
        slots: [VaultSlot], with vaultKey: Secret, salt: [UInt8]
    ) throws(AuthError) -> [UInt8] {
        let size = VaultFileWire.saltLength + records.count + AEAD.tagLength
        var bytes = VaultFileWire.head(
            suite: suite, id: id, generation: generation, epoch: epoch, writtenAt: writtenAt, slots: slots,
            bodySize: size)
        bytes += try code(of: bytes, id: id, vaultKey)
        guard bytes.count + size + VaultFileWire.trailerLength <= VaultFileWire.limit else {
            throw AuthError(.configuration(.invalid), "the vault would be larger than 16 MiB")
        }
        var material = try derive(vaultKey, salt: salt, info: bodyInfo, length: 44)
        defer { Wiping.wipe(&material) }
        var key = Array(material[..<32])
        defer { Wiping.wipe(&key) }
        do throws(CryptoError) {
            let context = Checksum.sha256(bytes)
            let sealed = try Wiping.lending(records) { plain throws(CryptoError) in
                try AEAD(suite.algorithm).seal(
                    plain, key: key, nonce: Array(material[32...]), authenticating: context)
            }
            bytes += salt
            bytes += sealed
        } catch {
            throw AuthError(.store(.unavailable), "the vault cannot be sealed: \(error.reason)")
        }
        bytes += Checksum.sha256(bytes)
        return bytes
    }

    private static func code(of head: [UInt8], id: VaultID, _ vaultKey: Secret) throws(AuthError) -> [UInt8] {
        var key = try derive(vaultKey, salt: id.bytes, info: headerInfo, length: 32)
        defer { Wiping.wipe(&key) }
        return KeyedHash.code(for: head, key: key)
    }

    private static func derive(_ key: Secret, salt: [UInt8], info: [UInt8], length: Int) throws(AuthError) -> [UInt8] {
        do throws(CryptoError) {
            return try Wiping.lending(key) { key throws(CryptoError) in
                try KeyDerivation.derive(from: key, salt: salt, info: info, length: length)
            }
        } catch {
            throw AuthError(.configuration(.invalid), "the key cannot be used: \(error.reason)")
        }
    }

    private static func tampered(_ part: String) -> AuthError {
        AuthError(.store(.tampered), "\(part) was changed by somebody who does not hold the vault's key")
    }
}
