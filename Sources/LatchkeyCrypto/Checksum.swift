import COpenSSL

/// SHA-256 where it protects against accidents only: names of files, and damage to them.
///
/// Computed by libcrypto's plain function, which wants none of its start-up: reading the machine's configuration and
/// making the providers ready takes longer than everything else that reading a session does. What is to protect
/// against somebody goes through ``Hash``, and so by the machine's configuration.
package enum Checksum {
    /// The 32 bytes over `bytes`.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { sha256($0) } }

    /// The 32 bytes over `bytes`, which are not copied.
    package static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            latchkey_sha256(bytes.baseAddress, bytes.count, buffer.baseAddress)
            count = 32
        }
    }
}
