#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Opens a listening socket on loopback, with a separate error for a taken port.
enum ListeningSocket {
    /// Opens the socket, and returns the descriptor and the port.
    static func open(host: String, port: UInt16) throws(HTTPServerError) -> (descriptor: Int32, port: UInt16) {
        switch host {
        case "127.0.0.1":
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return try listen(on: &address, family: AF_INET, port: port) { $0.sin_port }
        case "::1":
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
            return try listen(on: &address, family: AF_INET6, port: port) { $0.sin6_port }
        default: throw .notLoopback
        }
    }

    private static func listen<Address>(
        on address: inout Address, family: Int32, port: UInt16, portOf: (Address) -> in_port_t
    ) throws(HTTPServerError) -> (descriptor: Int32, port: UInt16) {
        // Close-on-exec from the start, because another thread may start a program at any moment.
        #if canImport(Glibc)
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        #elseif canImport(Musl)
            let type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK
        #else
            let type = SOCK_STREAM
        #endif
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw .unavailable(errno) }
        #if canImport(Darwin)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        #endif
        var on: Int32 = 1
        _ = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var size = socklen_t(MemoryLayout<Address>.size)
        let failure = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Int32 in
                guard bind(descriptor, pointer, size) == 0, systemListen(descriptor, 511) == 0,
                    getsockname(descriptor, pointer, &size) == 0
                else { return errno }
                return 0
            }
        }
        guard failure == 0 else {
            close(descriptor)
            throw failure == EADDRINUSE ? .portTaken(port) : .unavailable(failure)
        }
        return (descriptor, in_port_t(bigEndian: portOf(address)))
    }
}

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
