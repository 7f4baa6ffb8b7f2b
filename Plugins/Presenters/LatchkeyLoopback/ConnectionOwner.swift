import LatchkeyHTTPServer

#if os(Linux)
    import CSocketOwner
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The user whose program is at the other end of a local connection.
enum ConnectionOwner: Hashable, Sendable {
    /// The user's ID.
    case user(UInt32)
    /// The system does not say, for example if the connection comes through a container's mapped port, or there is
    /// no `/proc`.
    case unknown

    /// Asks the system: the kernel for the one socket, or its tables if that is not possible.
    ///
    /// Reading the tables takes about ten milliseconds, whatever is in them, so a program that connects often could
    /// keep the listener busy with it. Systems other than Linux do not say whose a connection is.
    @Sendable static func system(_ ends: ConnectionEnds) -> ConnectionOwner {
        #if os(Linux)
            return asked(ends) ?? listed(ends)
        #else
            return .unknown
        #endif
    }

    /// Whether the connection belongs to this user, or to root, whose relays carry connections for others.
    ///
    /// - Parameters:
    ///   - own: The effective user of this process.
    ///   - allowingUnknown: The result if the owner is unknown.
    func isTrusted(own: UInt32 = geteuid(), allowingUnknown: Bool) -> Bool {
        switch self {
        case .user(let user): user == own || user == 0
        case .unknown: allowingUnknown
        }
    }

    #if os(Linux)
        /// Asks the kernel for the owner of the peer's socket; `nil` if it cannot be asked for one socket.
        static func asked(_ ends: ConnectionEnds) -> ConnectionOwner? {
            let isSix: Int32 = ends.peer.address.count == 16 ? 1 : 0
            var user: UInt32 = 0
            let result = shim_socket_owner(
                isSix, ends.peer.address, ends.peer.port, ends.own.address, ends.own.port, &user)
            return result < 0 ? nil : result == 0 ? .unknown : .user(user)
        }

        /// Looks for the owner in the kernel's tables.
        static func listed(_ ends: ConnectionEnds) -> ConnectionOwner {
            // The tables change while they are read, so a line may be missed.
            for _ in 0..<3 {
                // A program may use an IPv6 socket for IPv4.
                for (file, mapped) in [("/proc/self/net/tcp", false), ("/proc/self/net/tcp6", true)] {
                    guard ends.peer.address.count == 4 || mapped else { continue }
                    var table = SocketTable(ends, mapped: mapped)
                    lines(of: file) { table.read(line: $0) }
                    if let user = table.users.first { return table.users.count == 1 ? .user(user) : .unknown }
                }
            }
            return .unknown
        }

        /// Passes on each line of a file that the kernel generates; none if the file cannot be read.
        private static func lines(of file: String, _ take: (ArraySlice<UInt8>) -> Void) {
            let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            var rest: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = systemRead(descriptor, &piece)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                rest += piece[..<count]
                let end = rest.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
                for line in rest[..<end].split(separator: UInt8(ascii: "\n")) { take(line) }
                rest.removeFirst(end)
            }
        }
    #endif
}

#if os(Linux)
    /// The C function, which is hidden by the enum's own `read`.
    private func systemRead(_ descriptor: Int32, _ piece: inout [UInt8]) -> Int {
        piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    }
#endif
