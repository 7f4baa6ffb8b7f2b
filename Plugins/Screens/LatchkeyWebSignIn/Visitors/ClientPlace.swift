import LatchkeyCrypto

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where guests come from: a name for an IPv4 address, or for an IPv6 network of 64 bits, which one customer has.
///
/// It is a code under the server's key, so that whoever reads the store does not learn addresses.
enum ClientPlace {
    /// The name of the place of `address`; empty if that is no address.
    static func name(of address: String?, _ key: ServerKey) -> String {
        guard let address, let bytes = network(address) else { return "" }
        return key.name(ofPlace: bytes)
    }

    static func network(_ address: String) -> [UInt8]? {
        let text = address.prefix { $0 != "%" }.trimmed
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: six) { Array($0) }
        // An IPv4 address in the form of IPv6 (RFC 4291, section 2.5.5.2).
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF { return Array(bytes[12...]) }
        return Array(bytes.prefix(8))
    }
}

extension Substring {
    /// Without the brackets of a URL.
    fileprivate var trimmed: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : String(self)
    }
}
