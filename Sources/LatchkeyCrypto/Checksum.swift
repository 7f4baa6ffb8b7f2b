import CChecksum
import COpenSSL
import LatchkeySystem

/// SHA-256 against accidents only, for file names and damaged files.
///
/// The first bytes of a process need no library: loading libcrypto takes longer than everything else in reading a
/// session. Nothing here reads the machine's configuration or prepares libcrypto's providers. For protection against
/// an attacker use ``Hash``, which follows the machine's configuration.
package enum Checksum {
    /// How many bytes a process hashes by itself. libcrypto is ten times faster, but takes as long to load as this
    /// takes to hash.
    package static let ownLimit = 64 << 10
    private static let left = Locked(ownLimit)

    /// Returns the 32-byte digest of `bytes`.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { sha256($0) } }

    /// Returns the 32-byte digest of `bytes`, which are not copied.
    package static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let isOwn = left.withLock { left in
            guard left >= bytes.count else { return false }
            left -= bytes.count
            return true
        }
        return isOwn ? own(bytes) : libcryptos(bytes)
    }

    /// The digest by this module's own code.
    static func own(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            latchkey_sha256(bytes.baseAddress, bytes.count, buffer.baseAddress)
            count = 32
        }
    }

    /// The digest by libcrypto.
    static func libcryptos(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            latchkey_openssl_sha256(bytes.baseAddress, bytes.count, buffer.baseAddress)
            count = 32
        }
    }
}
