import COpenSSL
import LatchkeySystem

/// The owner of one `EVP_PKEY`, public or private, of a kind that this module uses.
// Sendable, proof: `pointer` is set once and freed in `deinit`; libcrypto counts references atomically and locks what
// it caches in a key; `pool` and `templates` lock themselves.
final class KeyHandle: @unchecked Sendable {
    let kind: KeyKind
    let pointer: OpaquePointer
    let pool = ContextPool()
    /// Prepared `EVP_MD_CTX` of an Ed25519 key, by purpose; never used up, only copied.
    private let templates = Locked<[ContextPool.Purpose: OpaquePointer]>([:])

    /// Takes over `pointer`, and frees it even if the key is refused.
    init(taking pointer: OpaquePointer?) throws(CryptoError) {
        guard let pointer else {
            libcrypto.ERR_clear_error()
            throw CryptoError(.invalidKey, "the key is malformed")
        }
        do {
            kind = try Self.kind(of: pointer)
        } catch {
            libcrypto.EVP_PKEY_free(pointer)
            throw error
        }
        self.pointer = pointer
    }

    deinit {
        templates.withLock { for template in $0.values { libcrypto.EVP_MD_CTX_free(template) } }
        libcrypto.EVP_PKEY_free(pointer)
    }

    /// Returns a copy of the prepared context of `purpose`, which the caller frees. Ed25519 only.
    func copiedTemplate(_ purpose: ContextPool.Purpose) throws(CryptoError) -> OpaquePointer {
        let template = try templates.withLock { templates throws(CryptoError) in
            if let ready = templates[purpose] { return ready }
            let template = libcrypto.EVP_MD_CTX_new()
            let done =
                switch purpose {
                case .signing: libcrypto.EVP_DigestSignInit(template, nil, nil, nil, pointer)
                case .verifying: libcrypto.EVP_DigestVerifyInit(template, nil, nil, nil, pointer)
                }
            guard let template, done == 1 else {
                libcrypto.EVP_MD_CTX_free(template)
                throw Backend.failure("the key could not be prepared")
            }
            templates[purpose] = template
            return template
        }
        guard let copy = libcrypto.EVP_MD_CTX_new() else { throw Backend.failure("there is no memory for a context") }
        guard libcrypto.EVP_MD_CTX_copy_ex(copy, template) == 1 else {
            libcrypto.EVP_MD_CTX_free(copy)
            throw Backend.failure("a prepared context could not be copied")
        }
        return copy
    }

    private static func kind(of key: OpaquePointer) throws(CryptoError) -> KeyKind {
        switch libcrypto.EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA:
            let bits = Int(libcrypto.EVP_PKEY_get_bits(key))
            try KeyKind.check(rsaBits: bits)
            return .rsa(bits: bits)
        case EVP_PKEY_EC: return try curve(of: key)
        case EVP_PKEY_ED25519: return .ed25519
        default: throw CryptoError(.unsupportedKey, "the key is neither RSA nor EC nor Ed25519")
        }
    }

    private static func curve(of key: OpaquePointer) throws(CryptoError) -> KeyKind {
        // A curve that is given by its numbers may have a generator that an attacker chose.
        var isExplicit: Int32 = 0
        _ = libcrypto.EVP_PKEY_get_int_param(key, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &isExplicit)
        var name = [CChar](repeating: 0, count: 64)
        guard isExplicit == 0, libcrypto.EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1 else {
            libcrypto.ERR_clear_error()
            throw CryptoError(.unsupportedKey, "the curve of the key is not named")
        }
        let identifier = name.withUnsafeBufferPointer { $0.baseAddress.map { libcrypto.OBJ_sn2nid($0) } }
        switch identifier {
        case NID_X9_62_prime256v1: return .p256
        case NID_secp384r1: return .p384
        case NID_secp521r1: return .p521
        default: throw CryptoError(.unsupportedKey, "the curve of the key is not P-256, P-384 or P-521")
        }
    }
}
