import COpenSSL

extension Backend {
    private static let hmac = Fetched(libcrypto.EVP_MAC_fetch(nil, "HMAC", nil))
    private static let sha1Template = template("SHA1")
    private static let sha256Template = template("SHA256")
    private static let sha384Template = template("SHA384")
    private static let sha512Template = template("SHA512")

    static func authenticationCode(for message: [UInt8], key: [UInt8], _ algorithm: HashAlgorithm) -> [UInt8] {
        let template =
            switch algorithm {
            case .sha256: sha256Template
            case .sha384: sha384Template
            case .sha512: sha512Template
            }
        return code(for: message, key: key, by: template, length: algorithm.length)
    }

    /// The keyed hash that a code of an authenticator app is cut out of.
    static func oneTimeCode(for message: [UInt8], key: [UInt8], _ algorithm: TimeBasedOneTimePassword.Algorithm)
        -> [UInt8]
    {
        switch algorithm {
        case .sha1: code(for: message, key: key, by: sha1Template, length: 20)
        case .sha256: code(for: message, key: key, by: sha256Template, length: 32)
        case .sha512: code(for: message, key: key, by: sha512Template, length: 64)
        }
    }

    private static func code(for message: [UInt8], key: [UInt8], by template: Fetched, length: Int) -> [UInt8] {
        let context = libcrypto.EVP_MAC_CTX_dup(template.essential)
        defer { libcrypto.EVP_MAC_CTX_free(context) }
        // libcrypto takes a missing key to mean the previous one; one zero byte is the same as an
        // empty key by RFC 2104.
        let key = key.isEmpty ? [0] : key
        var code = [UInt8](repeating: 0, count: length)
        var written = 0
        let done =
            libcrypto.EVP_MAC_init(context, key, key.count, nil) == 1
            && libcrypto.EVP_MAC_update(context, message, message.count) == 1
            && libcrypto.EVP_MAC_final(context, &code, &written, code.count) == 1
        precondition(done && written == code.count, "libcrypto could not compute an HMAC")
        return code
    }

    private static func template(_ digest: StaticString) -> Fetched {
        guard let context = libcrypto.EVP_MAC_CTX_new(hmac.essential) else { return Fetched(nil) }
        let text = UnsafeMutablePointer(mutating: name(digest))
        let parameters = [
            libcrypto.OSSL_PARAM_construct_utf8_string(name("digest"), text, 0), libcrypto.OSSL_PARAM_construct_end(),
        ]
        guard libcrypto.EVP_MAC_CTX_set_params(context, parameters) == 1 else { return Fetched(nil) }
        return Fetched(context)
    }
}
