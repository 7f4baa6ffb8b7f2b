import COpenSSL

/// libcrypto's functions. The first use loads the library, and ends the program if it is not installed.
var libcrypto: latchkey_openssl { latchkey_openssl_functions().pointee }

/// libcrypto, under this module's names. For another platform, write another `Backend` and `KeyHandle`.
enum Backend {}

/// An algorithm or a prepared context of libcrypto, kept for the life of the process because
/// fetching it is slow.
// Sendable, proof: set once, never freed, and only ever passed to functions that read it or copy from it.
struct Fetched: @unchecked Sendable {
    let pointer: OpaquePointer?

    init(_ pointer: OpaquePointer?) {
        self.pointer = pointer
    }

    func required(_ name: String) throws(CryptoError) -> OpaquePointer {
        guard let pointer else { throw Backend.failure("\(name) is not offered by libcrypto") }
        return pointer
    }

    /// The pointer to an algorithm that every libcrypto 3 has. Without it no result would be right,
    /// so the program stops.
    var essential: OpaquePointer {
        guard let pointer else { preconditionFailure("libcrypto lacks a basic algorithm") }
        return pointer
    }
}

extension Backend {
    private static let sha256 = Fetched(libcrypto.EVP_MD_fetch(nil, "SHA256", nil))
    private static let sha384 = Fetched(libcrypto.EVP_MD_fetch(nil, "SHA384", nil))
    private static let sha512 = Fetched(libcrypto.EVP_MD_fetch(nil, "SHA512", nil))

    static func method(_ algorithm: HashAlgorithm) -> OpaquePointer {
        switch algorithm {
        case .sha256: sha256.essential
        case .sha384: sha384.essential
        case .sha512: sha512.essential
        }
    }

    /// Returns the error for a failed call. Empties libcrypto's error list, which other users of
    /// this thread would read.
    static func failure(_ reason: String) -> CryptoError {
        libcrypto.ERR_clear_error()
        return CryptoError(.unavailable, reason)
    }

    static func digest(_ bytes: [UInt8], _ algorithm: HashAlgorithm) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: algorithm.length)
        let done = libcrypto.EVP_Digest(bytes, bytes.count, &digest, nil, method(algorithm), nil)
        precondition(done == 1, "libcrypto could not hash")
        return digest
    }

    static func randomBytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard count > 0 else { return bytes }
        precondition(count <= Int(Int32.max), "too many random bytes at once")
        precondition(libcrypto.RAND_bytes(&bytes, Int32(count)) == 1, "the system has no randomness")
        return bytes
    }

    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.isEmpty || libcrypto.CRYPTO_memcmp(left, right, left.count) == 0
    }

    static func scrypt(
        passphrase: [UInt8], salt: [UInt8], cost: Int, blockSize: Int, parallelization: Int, length: Int,
        memoryLimit: Int
    ) throws(CryptoError) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: length)
        let done = passphrase.withUnsafeBytes { passphrase in
            libcrypto.EVP_PBE_scrypt(
                passphrase.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyText, passphrase.count,
                salt, salt.count, UInt64(cost), UInt64(blockSize), UInt64(parallelization), UInt64(memoryLimit),
                &key, length)
        }
        guard done == 1 else { throw failure("scrypt failed, probably for want of memory") }
        return key
    }

    /// Returns a stable pointer to a parameter's name: libcrypto keeps it after the call that it is passed to.
    static func name(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private static var emptyText: UnsafePointer<CChar> { name("") }
}
