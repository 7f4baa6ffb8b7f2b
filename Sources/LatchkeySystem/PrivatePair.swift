#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Two connected sockets: what is written to one is read from the other.
///
/// Used in place of a pipe. A socket can be opened close-on-exec in one step, so that no program
/// that another thread starts at that moment inherits it; the call that does this for a pipe is not
/// available in Swift.
package enum PrivatePair {
    /// Opens a pair; `nil` if the process has no descriptor left, with the reason in `errno`.
    package static func open(nonblocking: Bool = false) -> (reading: Int32, writing: Int32)? {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
            guard socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else { return nil }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                if nonblocking { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
            }
        #else
            let kind = stream | closeOnExec | (nonblocking ? withoutBlocking : 0)
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        #endif
        return (ends[0], ends[1])
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)
        private static let withoutBlocking = Int32(SOCK_NONBLOCK.rawValue)
    #elseif canImport(Musl)
        private static let (stream, closeOnExec, withoutBlocking) = (SOCK_STREAM, SOCK_CLOEXEC, SOCK_NONBLOCK)
    #endif
}
