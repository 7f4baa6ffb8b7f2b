import COpenSSL

/// The numbers of a key.
extension KeyHandle {
    var rsaComponents: (modulus: [UInt8], exponent: [UInt8])? {
        guard case .rsa = kind, let modulus = number("n"), let exponent = number("e") else { return nil }
        return (modulus, exponent)
    }

    var ecCoordinates: (x: [UInt8], y: [UInt8])? {
        guard let width = kind.curve?.width, let x = number("qx", width: width), let y = number("qy", width: width)
        else { return nil }
        return (x, y)
    }

    var ed25519Bytes: [UInt8]? {
        guard kind == .ed25519 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 32)
        var length = bytes.count
        guard libcrypto.EVP_PKEY_get_raw_public_key(pointer, &bytes, &length) == 1, length == 32 else { return nil }
        return bytes
    }

    private func number(_ name: String, width: Int? = nil) -> [UInt8]? {
        var number: OpaquePointer?
        guard libcrypto.EVP_PKEY_get_bn_param(pointer, name, &number) == 1 else { return nil }
        defer { libcrypto.BN_free(number) }
        let width = width ?? (Int(libcrypto.BN_num_bits(number)) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: width)
        guard libcrypto.BN_bn2binpad(number, &bytes, Int32(width)) == Int32(width) else { return nil }
        return bytes
    }
}
