import COpenSSL

/// The two forms of an ECDSA signature: r and s of fixed width (RFC 7518 section 3.4), and libcrypto's DER.
enum ECDSASignature {
    /// Returns the DER form of a signature of twice the curve's width; `nil` unless both numbers
    /// are from 1 to n - 1.
    static func encode(_ raw: [UInt8], _ curve: EllipticCurve) -> [UInt8]? {
        let width = curve.width
        let first = Array(raw.prefix(width))
        let second = Array(raw.suffix(width))
        let r = libcrypto.BN_bin2bn(first, Int32(width), nil)
        let s = libcrypto.BN_bin2bn(second, Int32(width), nil)
        guard isInRange(r, curve), isInRange(s, curve), let signature = libcrypto.ECDSA_SIG_new() else {
            libcrypto.BN_free(r)
            libcrypto.BN_free(s)
            return nil
        }
        defer { libcrypto.ECDSA_SIG_free(signature) }
        _ = libcrypto.ECDSA_SIG_set0(signature, r, s)
        var bytes = [UInt8](repeating: 0, count: 2 * width + 16)
        let length = bytes.withUnsafeMutableBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return libcrypto.i2d_ECDSA_SIG(signature, &cursor)
        }
        guard length > 0 else { return nil }
        return Array(bytes.prefix(Int(length)))
    }

    static func decode(_ encoded: [UInt8], _ curve: EllipticCurve) throws(CryptoError) -> [UInt8] {
        let signature = encoded.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return libcrypto.d2i_ECDSA_SIG(nil, &cursor, bytes.count)
        }
        defer { libcrypto.ECDSA_SIG_free(signature) }
        let width = curve.width
        var first = [UInt8](repeating: 0, count: width)
        var second = first
        guard signature != nil, libcrypto.BN_bn2binpad(libcrypto.ECDSA_SIG_get0_r(signature), &first, Int32(width)) > 0,
            libcrypto.BN_bn2binpad(libcrypto.ECDSA_SIG_get0_s(signature), &second, Int32(width)) > 0
        else { throw Backend.failure("the signature could not be encoded") }
        return first + second
    }

    private static func isInRange(_ number: OpaquePointer?, _ curve: EllipticCurve) -> Bool {
        guard let group = groups.first(where: { $0.0 == curve })?.1.essential else { return false }
        return number != nil && libcrypto.BN_is_zero(number) == 0
            && libcrypto.BN_cmp(number, libcrypto.EC_GROUP_get0_order(group)) < 0
    }

    /// Made once. The order of a group lives as long as the group.
    private static let groups = EllipticCurve.allCases.map { curve in
        (curve, Fetched(libcrypto.EC_GROUP_new_by_curve_name(curve.identifier)))
    }
}

extension EllipticCurve {
    fileprivate var identifier: Int32 {
        switch self {
        case .p256: NID_X9_62_prime256v1
        case .p384: NID_secp384r1
        case .p521: NID_secp521r1
        }
    }
}
