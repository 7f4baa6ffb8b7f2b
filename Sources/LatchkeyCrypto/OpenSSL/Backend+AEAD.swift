import COpenSSL

extension Backend {
    private static let aes256GCM = Fetched(libcrypto.EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
    private static let chaCha20Poly1305 = Fetched(libcrypto.EVP_CIPHER_fetch(nil, "ChaCha20-Poly1305", nil))

    private static func cipher(_ algorithm: AEAD.Algorithm) throws(CryptoError) -> OpaquePointer {
        switch algorithm {
        case .aes256GCM: try aes256GCM.required("AES-256-GCM")
        case .chaCha20Poly1305: try chaCha20Poly1305.required("ChaCha20-Poly1305")
        }
    }

    /// The caller has checked the lengths: key 32, nonce 12, everything within an `Int32`.
    static func seal(
        _ plain: [UInt8], key: [UInt8], nonce: [UInt8], context bytes: [UInt8], _ algorithm: AEAD.Algorithm
    ) throws(CryptoError) -> [UInt8] {
        let cipher = try cipher(algorithm)
        let context = libcrypto.EVP_CIPHER_CTX_new()
        defer { libcrypto.EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: plain.count + AEAD.tagLength)
        var length: Int32 = 0
        let done =
            libcrypto.EVP_EncryptInit_ex2(context, cipher, key, nonce, nil) == 1
            && (bytes.isEmpty || libcrypto.EVP_EncryptUpdate(context, nil, &length, bytes, Int32(bytes.count)) == 1)
            && (plain.isEmpty || libcrypto.EVP_EncryptUpdate(context, &sealed, &length, plain, Int32(plain.count)) == 1)
        guard done else { throw failure("the message could not be encrypted") }
        let finished = sealed.withUnsafeMutableBufferPointer { sealed in
            let tag = sealed.baseAddress.map { $0 + plain.count }
            return libcrypto.EVP_EncryptFinal_ex(context, tag, &length) == 1
                && libcrypto.EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(AEAD.tagLength), tag) == 1
        }
        guard finished else { throw failure("the message could not be encrypted") }
        return sealed
    }

    /// The caller has checked the lengths, and that there is a whole tag.
    static func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], context bytes: [UInt8], _ algorithm: AEAD.Algorithm
    ) throws(CryptoError) -> [UInt8] {
        let cipher = try cipher(algorithm)
        let context = libcrypto.EVP_CIPHER_CTX_new()
        defer { libcrypto.EVP_CIPHER_CTX_free(context) }
        let size = sealed.count - AEAD.tagLength
        var tag = Array(sealed[size...])
        var plain = [UInt8](repeating: 0, count: size)
        var length: Int32 = 0
        let done =
            libcrypto.EVP_DecryptInit_ex2(context, cipher, key, nonce, nil) == 1
            && libcrypto.EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(AEAD.tagLength), &tag) == 1
            && (bytes.isEmpty || libcrypto.EVP_DecryptUpdate(context, nil, &length, bytes, Int32(bytes.count)) == 1)
            && (size == 0 || libcrypto.EVP_DecryptUpdate(context, &plain, &length, sealed, Int32(size)) == 1)
        guard done else { throw failure("the message could not be decrypted") }
        var end = [UInt8](repeating: 0, count: AEAD.tagLength)
        guard libcrypto.EVP_DecryptFinal_ex(context, &end, &length) == 1 else {
            libcrypto.ERR_clear_error()
            // Bytes that were decrypted before the tag proved wrong must not be visible to anyone.
            libcrypto.OPENSSL_cleanse(&plain, plain.count)
            throw CryptoError(.authentication, "the sealed message is not genuine")
        }
        return plain
    }
}
