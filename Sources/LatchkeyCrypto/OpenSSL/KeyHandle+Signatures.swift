import COpenSSL

/// Signs and checks. The caller has checked that the algorithm fits the kind of key.
extension KeyHandle {
    /// Checks `signature`, whose length the caller has checked.
    func verify(
        _ signature: [UInt8], of message: [UInt8], _ algorithm: SignatureAlgorithm
    ) throws(CryptoError) -> Bool {
        guard let hash = algorithm.hash else {
            let context = try copiedTemplate(.verifying)
            defer { libcrypto.EVP_MD_CTX_free(context) }
            return Self.isValid(libcrypto.EVP_DigestVerify(context, signature, signature.count, message, message.count))
        }
        var signature = signature
        if let curve = kind.curve {
            guard let encoded = ECDSASignature.encode(signature, curve) else { return false }
            signature = encoded
        }
        let digest = Backend.digest(message, hash)
        let use = ContextPool.Use(purpose: .verifying, algorithm: algorithm)
        let context = try context(use)
        defer { pool.giveBack(context, use) }
        return Self.isValid(libcrypto.EVP_PKEY_verify(context, signature, signature.count, digest, digest.count))
    }

    func sign(_ message: [UInt8], _ algorithm: SignatureAlgorithm) throws(CryptoError) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Int(libcrypto.EVP_PKEY_get_size(pointer)))
        var length = signature.count
        guard let hash = algorithm.hash else {
            let context = try copiedTemplate(.signing)
            defer { libcrypto.EVP_MD_CTX_free(context) }
            let done = libcrypto.EVP_DigestSign(context, &signature, &length, message, message.count)
            return try Self.finished(done, signature, length)
        }
        let digest = Backend.digest(message, hash)
        let use = ContextPool.Use(purpose: .signing, algorithm: algorithm)
        let context = try context(use)
        defer { pool.giveBack(context, use) }
        let done = libcrypto.EVP_PKEY_sign(context, &signature, &length, digest, digest.count)
        signature = try Self.finished(done, signature, length)
        guard let curve = kind.curve else { return signature }
        return try ECDSASignature.decode(signature, curve)
    }

    private func context(_ use: ContextPool.Use) throws(CryptoError) -> OpaquePointer {
        if let waiting = pool.take(use) { return waiting }
        guard let context = libcrypto.EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else {
            throw Backend.failure("there is no memory for a context")
        }
        guard prepare(context, use) else {
            libcrypto.EVP_PKEY_CTX_free(context)
            throw Backend.failure("the key could not be prepared")
        }
        return context
    }

    private func prepare(_ context: OpaquePointer, _ use: ContextPool.Use) -> Bool {
        let started =
            use.purpose == .signing ? libcrypto.EVP_PKEY_sign_init(context) : libcrypto.EVP_PKEY_verify_init(context)
        guard started == 1, let hash = use.algorithm.hash,
            libcrypto.EVP_PKEY_CTX_set_signature_md(context, Backend.method(hash)) == 1
        else { return false }
        guard case .rsa = kind else { return true }
        guard use.algorithm.isPSS else {
            return libcrypto.EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        }
        return libcrypto.EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
            && libcrypto.EVP_PKEY_CTX_set_rsa_mgf1_md(context, Backend.method(hash)) == 1
            && libcrypto.EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
    }

    private static func isValid(_ answer: Int32) -> Bool {
        if answer != 1 { libcrypto.ERR_clear_error() }
        return answer == 1
    }

    private static func finished(_ done: Int32, _ bytes: [UInt8], _ length: Int) throws(CryptoError) -> [UInt8] {
        guard done == 1 else { throw Backend.failure("the message could not be signed") }
        return Array(bytes.prefix(length))
    }
}
