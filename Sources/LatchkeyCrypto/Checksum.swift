import COpenSSL

/// SHA-256 against accidents only, for file names and damaged files.
///
/// It uses libcrypto's plain function, which needs none of its start-up: reading the machine's
/// configuration and preparing the providers takes longer than everything else in reading a
/// session. For protection against an attacker use ``Hash``, which follows the machine's configuration.
package enum Checksum {
    /// Returns the 32-byte digest of `bytes`.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { sha256($0) } }

    /// Returns the 32-byte digest of `bytes`, which are not copied.
    package static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            latchkey_sha256(bytes.baseAddress, bytes.count, buffer.baseAddress)
            count = 32
        }
    }
}
