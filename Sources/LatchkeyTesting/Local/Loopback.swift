import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the servers and clients of tests share: TCP on loopback, in descriptors that no program inherits.
package enum Loopback {
    package struct NoSocket: Error {
        package init() {}
    }

    /// A stream socket, connected to nothing.
    package static func socket(ipv6: Bool = false) -> Int32 {
        #if canImport(Glibc)
            let descriptor = Glibc.socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #elseif canImport(Darwin)
            let descriptor = Darwin.socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = Musl.socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0)
        #endif
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    /// A socket that is bound to a free port of 127.0.0.1 and does not listen yet, and that port.
    package static func bound() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket()
        var address = address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            throw NoSocket()
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// A socket that is bound as by ``bound()`` and listens, and its port.
    package static func listening() throws -> (descriptor: Int32, port: UInt16) {
        let (descriptor, port) = try bound()
        guard listen(descriptor, 64) == 0 else {
            close(descriptor)
            throw NoSocket()
        }
        return (descriptor, port)
    }

    /// Gives each connection that comes in at `listening` to `serve`, on a thread of its own, and closes `listening` once
    /// it is shut down. Whoever closed it earlier would free its number for the next server.
    package static func accept(at listening: Int32, _ serve: @escaping @Sendable (Int32) -> Void) throws {
        let isRunning = DetachedThread.start {
            while true {
                let connection = systemAccept(listening)
                guard connection >= 0 else {
                    close(listening)
                    return
                }
                // The tests look at what programs inherit.
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                _ = DetachedThread.start { serve(connection) }
            }
        }
        guard isRunning else { throw NoSocket() }
    }

    /// A socket that is connected to `port` of 127.0.0.1, of 127.0.0.2 (`other`), or of ::1. Reading from it gives up after
    /// ten seconds.
    package static func connected(
        to port: UInt16, ipv6: Bool = false, other: Bool = false
    ) throws -> Int32 {
        let descriptor = socket(ipv6: ipv6)
        var deadline = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &deadline, socklen_t(MemoryLayout<timeval>.size))
        guard ipv6 ? connect(descriptor, to: address6(port)) : connect(descriptor, to: address(port, other: other))
        else {
            close(descriptor)
            throw NoSocket()
        }
        return descriptor
    }

    /// Writes all of `bytes`; `false` if the other side is gone before.
    @discardableResult
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private static func address(_ port: UInt16, other: Bool = false) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(other ? 0x7F00_0002 : 0x7F00_0001).bigEndian
        return address
    }

    private static func address6(_ port: UInt16) -> sockaddr_in6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
        return address
    }

    private static func connect<Address>(_ descriptor: Int32, to address: Address) -> Bool {
        var address = address
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                systemConnect(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }
}

private func systemAccept(_ listening: Int32) -> Int32 { accept(listening, nil, nil) }

private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    connect(descriptor, address, size)
}
