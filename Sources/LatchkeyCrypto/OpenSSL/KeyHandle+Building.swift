import COpenSSL

/// Builds keys from their numbers, and generates new ones.
extension KeyHandle {
    convenience init(rsaModulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        let modulus = libcrypto.BN_bin2bn(rsaModulus, Int32(rsaModulus.count), nil)
        let exponent = libcrypto.BN_bin2bn(exponent, Int32(exponent.count), nil)
        let builder = libcrypto.OSSL_PARAM_BLD_new()
        defer {
            libcrypto.OSSL_PARAM_BLD_free(builder)
            libcrypto.BN_free(modulus)
            libcrypto.BN_free(exponent)
        }
        _ = libcrypto.OSSL_PARAM_BLD_push_BN(builder, Backend.name("n"), modulus)
        _ = libcrypto.OSSL_PARAM_BLD_push_BN(builder, Backend.name("e"), exponent)
        try self.init(taking: Self.build("RSA", builder))
    }

    /// Creates a key from its coordinates. The caller has checked the lengths; libcrypto checks
    /// that the point is on the curve.
    convenience init(curve: EllipticCurve, x: [UInt8], y: [UInt8]) throws(CryptoError) {
        let builder = libcrypto.OSSL_PARAM_BLD_new()
        defer { libcrypto.OSSL_PARAM_BLD_free(builder) }
        let point = [4] + x + y
        let key = point.withUnsafeBufferPointer { point in
            _ = libcrypto.OSSL_PARAM_BLD_push_utf8_string(
                builder, Backend.name("group"), Backend.name(curve.groupName), 0)
            _ = libcrypto.OSSL_PARAM_BLD_push_octet_string(builder, Backend.name("pub"), point.baseAddress, point.count)
            return Self.build("EC", builder)
        }
        guard key != nil else {
            libcrypto.ERR_clear_error()
            throw CryptoError(.invalidKey, "the point is not on the curve")
        }
        try self.init(taking: key)
    }

    convenience init(ed25519 bytes: [UInt8]) throws(CryptoError) {
        guard bytes.count == 32 else {
            throw CryptoError(.invalidKey, "an Ed25519 key has 32 bytes, not \(bytes.count)")
        }
        guard !Ed25519Point.hasSmallOrder(bytes) else {
            throw CryptoError(.weakKey, "the Ed25519 key is a point of small order")
        }
        try self.init(taking: libcrypto.EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count))
    }

    convenience init(generating kind: KeyKind) throws(CryptoError) {
        let name =
            switch kind {
            case .rsa: "RSA"
            case .p256, .p384, .p521: "EC"
            case .ed25519: "ED25519"
            }
        let context = libcrypto.EVP_PKEY_CTX_new_from_name(nil, name, nil)
        defer { libcrypto.EVP_PKEY_CTX_free(context) }
        var isReady = libcrypto.EVP_PKEY_keygen_init(context) == 1
        if case .rsa(let bits) = kind {
            isReady = isReady && libcrypto.EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1
        } else if let curve = kind.curve {
            isReady = isReady && libcrypto.EVP_PKEY_CTX_set_group_name(context, Backend.name(curve.groupName)) == 1
        }
        var key: OpaquePointer?
        guard isReady, libcrypto.EVP_PKEY_generate(context, &key) == 1 else {
            throw Backend.failure("a key could not be generated")
        }
        try self.init(taking: key)
    }

    private static func build(_ type: String, _ builder: OpaquePointer?) -> OpaquePointer? {
        let parameters = libcrypto.OSSL_PARAM_BLD_to_param(builder)
        let context = libcrypto.EVP_PKEY_CTX_new_from_name(nil, type, nil)
        defer {
            libcrypto.OSSL_PARAM_free(parameters)
            libcrypto.EVP_PKEY_CTX_free(context)
        }
        var key: OpaquePointer?
        guard let parameters, libcrypto.EVP_PKEY_fromdata_init(context) == 1,
            libcrypto.EVP_PKEY_fromdata(context, &key, publicKeySelection, parameters) == 1
        else { return nil }
        return key
    }
}

/// The value of the C macro `EVP_PKEY_PUBLIC_KEY`, which Swift does not see.
private let publicKeySelection =
    OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS | OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY

extension EllipticCurve {
    var groupName: StaticString {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        }
    }
}
