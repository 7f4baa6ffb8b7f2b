import CAgentSocket
import Latchkey
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A socket between two processes of one user on this machine. Blocking calls run on threads of their own, and end:
/// each read and write within the time that the socket was made with.
final class AgentSocket: Sendable {
    private let descriptor: Int32

    /// Takes over a descriptor, and closes it at the end.
    ///
    /// - Parameter patience: The longest time of one read or write.
    init(_ descriptor: Int32, patience: Duration) {
        self.descriptor = descriptor
        var time = timeval()
        time.tv_sec = numericCast(max(1, patience.components.seconds))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        #if canImport(Darwin)
            var isOn: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit { close(descriptor) }

    /// Returns a listening socket at `path`, mode 0600. Removes what is there, so make sure first that no process
    /// listens.
    static func listening(at path: String) throws(AuthError) -> AgentSocket {
        let descriptor = try make()
        unlink(path)
        let isBound = withAddress(path) { bind(descriptor, $0, $1) == 0 }
        guard isBound, chmod(path, 0o600) == 0, listen(descriptor, 16) == 0 else {
            let problem = errno
            close(descriptor)
            throw AuthError(.store(.unavailable), "no agent can listen at \(path) (error \(problem))")
        }
        return AgentSocket(descriptor, patience: .seconds(0x7FFF_FFFF))
    }

    /// Connects to the process that listens at `path`; `nil` if there is none.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.insecurePermissions)` when the process is another user's.
    static func connected(to path: String, patience: Duration) throws(AuthError) -> AgentSocket? {
        let descriptor = try make()
        guard withAddress(path, { connect(descriptor, $0, $1) == 0 }) else {
            close(descriptor)
            return nil
        }
        let socket = AgentSocket(descriptor, patience: patience)
        guard socket.isOfThisUser else {
            throw AuthError(.store(.insecurePermissions), "another user listens at \(path)")
        }
        return socket
    }

    /// Whether the process at the other end is this user's, according to the kernel.
    var isOfThisUser: Bool {
        var user = UInt32.max
        return latchkey_peer_user(descriptor, &user) == 0 && user == geteuid()
    }

    /// The number of the process at the other end, according to the kernel; 0 if it does not say, as for a process of
    /// another container.
    var peer: Int32 { latchkey_peer_process(descriptor) }

    /// Waits for the next connection; `nil` once ``end()`` was called.
    func next(patience: Duration) async -> AgentSocket? {
        while true {
            let accepted = await DetachedThread.run { [descriptor] in
                let connection = accept(descriptor, nil, nil)
                return (connection, connection < 0 ? errno : 0)
            }
            guard let (connection, problem) = accepted else { return nil }
            if connection < 0, [EINTR, ECONNABORTED, EAGAIN].contains(problem) { continue }
            guard connection >= 0 else { return nil }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            return AgentSocket(connection, patience: patience)
        }
    }

    /// Ends all waits here and at the other end.
    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Receives the next message; `nil` at the end, or when the other end is gone.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `untrusted(.malformed)`; `store(.unavailable)` when no message comes in
    ///   time.
    func receive() async throws(AuthError) -> AgentMessage? {
        let result = await DetachedThread.run { [self] in Result { () throws(AuthError) in try read() } }
        guard let result else { throw Self.noThread }
        return try result.get()
    }

    /// Sends `message`. Returns `false` when the other end is gone.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.unavailable)` when it does not read in time.
    func send(_ message: AgentMessage) async throws(AuthError) -> Bool {
        let result = await DetachedThread.run { [self] in Result { () throws(AuthError) in try write(message) } }
        guard let result else { throw Self.noThread }
        return try result.get()
    }

    private func read() throws(AuthError) -> AgentMessage? {
        var head = [UInt8](repeating: 0, count: 4)
        let isWhole = try head.withUnsafeMutableBytes { bytes in
            Result { () throws(AuthError) in try fill(bytes) }
        }.get()
        guard isWhole else { return nil }
        let count = head.reduce(0) { $0 << 8 | Int($1) }
        guard (1...AgentMessage.longest).contains(count) else { throw AgentMessage.malformed }
        // Wiped in every case, because keys and records pass through it.
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer {
            SecretMemory.wipe(memory)
            memory.deallocate()
        }
        guard try fill(memory) else { return nil }
        return try AgentMessage(UnsafeRawBufferPointer(memory))
    }

    private func write(_ message: AgentMessage) throws(AuthError) -> Bool {
        var bytes = message.bytes()
        defer { bytes.withUnsafeMutableBytes { SecretMemory.wipe($0) } }
        return try bytes.withUnsafeMutableBytes { bytes in
            Result { () throws(AuthError) in try move(bytes) { systemSend(descriptor, $0, $1, Self.quietly) } }
        }.get()
    }

    private func fill(_ memory: UnsafeMutableRawBufferPointer) throws(AuthError) -> Bool {
        try move(memory) { recv(descriptor, $0, $1, 0) }
    }

    /// Moves all of `memory` by repeating `step`. Returns `false` when the other end is gone: whoever ends without
    /// having read everything resets the connection, so that is no other case than an end in good order.
    private func move(
        _ memory: UnsafeMutableRawBufferPointer, by step: (UnsafeMutableRawPointer?, Int) -> Int
    ) throws(AuthError) -> Bool {
        var done = 0
        while done < memory.count {
            let moved = step(memory.baseAddress.map { $0 + done }, memory.count - done)
            if moved < 0, errno == EINTR { continue }
            if moved == 0 || moved < 0 && [ECONNRESET, EPIPE].contains(errno) { return false }
            guard moved > 0 else { throw Self.silent }
            done += moved
        }
        return true
    }

    private static var silent: AuthError { AuthError(.store(.unavailable), "the agent does not answer") }
    private static var noThread: AuthError { AuthError(.store(.unavailable), "the system has no thread to give") }

    private static func make() throws(AuthError) -> Int32 {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #elseif canImport(Musl)
            let kind = SOCK_STREAM | SOCK_CLOEXEC
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw AuthError(.store(.unavailable), "the system has no socket to give") }
        return descriptor
    }

    private static func withAddress<Value>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: path.utf8.prefix(place.count - 1))
        }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    #if canImport(Darwin)
        private static let quietly: Int32 = 0
    #else
        private static let quietly = Int32(MSG_NOSIGNAL)
    #endif
}

private func systemSend(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(socket, bytes, count, flags)
}
