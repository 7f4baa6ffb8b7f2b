import COpenSSL

/// Keys as text, RFC 7468.
extension KeyHandle {
    /// The most bytes that a PEM block may have; an RSA private key of 16384 bits has 13 thousand.
    static let pemLimit = 64 << 10

    convenience init(publicPEM text: String) throws(CryptoError) {
        try self.init(taking: Self.read(text) { libcrypto.PEM_read_bio_PUBKEY($0, nil, noPassphrase, nil) })
        try checkRSAExponent()
    }

    convenience init(privatePEM text: String) throws(CryptoError) {
        try self.init(taking: Self.read(text) { libcrypto.PEM_read_bio_PrivateKey($0, nil, noPassphrase, nil) })
        try checkRSAExponent()
    }

    /// Returns the public half as a key of its own, so that it holds no secret.
    func publicHalf() throws(CryptoError) -> KeyHandle {
        var bytes: UnsafeMutablePointer<UInt8>?
        let length = libcrypto.i2d_PUBKEY(pointer, &bytes)
        guard length > 0 else { throw Backend.failure("the public half of the key could not be written") }
        defer { libcrypto.CRYPTO_free(bytes, #fileID, #line) }
        var cursor = UnsafePointer(bytes)
        return try KeyHandle(taking: libcrypto.d2i_PUBKEY(nil, &cursor, Int(length)))
    }

    func publicPEM() throws(CryptoError) -> String {
        try Self.write { libcrypto.PEM_write_bio_PUBKEY($0, pointer) }
    }

    func privatePEM() throws(CryptoError) -> String {
        try Self.write { libcrypto.PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }

    /// Returns the `SubjectPublicKeyInfo` of a certificate, in DER; `nil` if the text is no certificate.
    static func certificateKey(pem text: String) -> [UInt8]? {
        guard let certificate = read(text, { libcrypto.PEM_read_bio_X509($0, nil, noPassphrase, nil) }) else {
            libcrypto.ERR_clear_error()
            return nil
        }
        defer { libcrypto.X509_free(certificate) }
        var bytes: UnsafeMutablePointer<UInt8>?
        let length = libcrypto.i2d_X509_PUBKEY(libcrypto.X509_get_X509_PUBKEY(certificate), &bytes)
        guard length > 0, let bytes else { return nil }
        defer { libcrypto.CRYPTO_free(bytes, #fileID, #line) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(length)))
    }

    private func checkRSAExponent() throws(CryptoError) {
        guard let (modulus, exponent) = rsaComponents else { return }
        _ = try PublicKey(rsaModulus: modulus, exponent: exponent)
    }

    private static func read(_ text: String, _ body: (OpaquePointer?) -> OpaquePointer?) -> OpaquePointer? {
        let bytes = Array(text.utf8)
        guard bytes.count <= pemLimit else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            let source = libcrypto.BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { _ = libcrypto.BIO_free(source) }
            return body(source)
        }
    }

    private static func write(_ body: (OpaquePointer?) -> Int32) throws(CryptoError) -> String {
        let target = libcrypto.BIO_new(libcrypto.BIO_s_secmem())
        defer { _ = libcrypto.BIO_free(target) }
        var bytes = [UInt8](repeating: 0, count: pemLimit)
        guard body(target) == 1 else { throw Backend.failure("the key could not be written") }
        let length = libcrypto.BIO_read(target, &bytes, Int32(bytes.count))
        guard length > 0 else { throw Backend.failure("the key could not be written") }
        defer { libcrypto.OPENSSL_cleanse(&bytes, bytes.count) }
        return String(decoding: bytes.prefix(Int(length)), as: UTF8.self)
    }
}

/// Tells libcrypto that there is no passphrase; without it, it would ask for one on the terminal.
private func noPassphrase(
    _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?
) -> Int32 { -1 }
