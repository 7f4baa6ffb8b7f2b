#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The two addresses of a connection, as the server sees them.
package struct ConnectionEnds: Hashable, Sendable {
    /// An address and a port.
    package struct End: Hashable, Sendable {
        /// The bytes in network order: 4 for IPv4, 16 for IPv6.
        package var address: [UInt8]
        /// The port.
        package var port: UInt16

        /// Creates an end.
        package init(address: [UInt8], port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    /// The client's end.
    package var peer: End
    /// The server's end.
    package var own: End

    /// Creates the pair of ends.
    package init(peer: End, own: End) {
        self.peer = peer
        self.own = own
    }
}

extension ConnectionEnds.End {
    /// Creates the loopback address that the server listens on.
    init(host: String, port: UInt16) {
        let isSix = host == "::1"
        self.init(address: isSix ? [UInt8](repeating: 0, count: 15) + [1] : [127, 0, 0, 1], port: port)
    }

    /// Reads the end from the kernel's structure; `nil` for another family, or if the structure is cut off.
    init?(_ address: UnsafePointer<sockaddr>, size: Int) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET where size >= MemoryLayout<sockaddr_in>.size:
            let known = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            self.init(
                address: withUnsafeBytes(of: known.sin_addr) { Array($0) }, port: in_port_t(bigEndian: known.sin_port))
        case AF_INET6 where size >= MemoryLayout<sockaddr_in6>.size:
            let known = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            self.init(
                address: withUnsafeBytes(of: known.sin6_addr) { Array($0) },
                port: in_port_t(bigEndian: known.sin6_port))
        default: return nil
        }
    }
}
