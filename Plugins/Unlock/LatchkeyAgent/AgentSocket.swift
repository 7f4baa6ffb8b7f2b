import CAgentSocket
import Latchkey
import LatchkeyLocked

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

    /// Receives the next message; `nil` at the end.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `untrusted(.malformed)`; `store(.unavailable)` when no message comes in
    ///   time.
    func receive() async throws(AuthError) -> AgentMessage? {
        let result = await DetachedThread.run { [self] in Result { () throws(AuthError) in try read() } }
        guard let result else { throw Self.noThread }
        return try result.get()
    }

    /// Sends `message`.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.unavailable)`.
    func send(_ message: AgentMessage) async throws(AuthError) {
        let isSent = await DetachedThread.run { [self] in write(message) }
        guard isSent == true else { throw Self.silent }
    }

    private func read() throws(AuthError) -> AgentMessage? {
        var head = [UInt8](repeating: 0, count: 4)
        let got = head.withUnsafeMutableBytes { fill($0) }
        if got == 0 { return nil }
        guard got == 4 else { throw Self.silent }
        let count = head.reduce(0) { $0 << 8 | Int($1) }
        guard (1...AgentMessage.longest).contains(count) else { throw AgentMessage.malformed }
        // Wiped in every case, because keys and records pass through it.
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer {
            explicit_wipe(memory)
            memory.deallocate()
        }
        guard fill(memory) == count else { throw Self.silent }
        return try AgentMessage(UnsafeRawBufferPointer(memory))
    }

    private func write(_ message: AgentMessage) -> Bool {
        var bytes = message.bytes()
        return bytes.withUnsafeMutableBytes { bytes in
            defer { explicit_wipe(bytes) }
            var done = 0
            while done < bytes.count {
                let put = systemSend(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, Self.quietly)
                if put < 0, errno == EINTR { continue }
                guard put > 0 else { return false }
                done += put
            }
            return true
        }
    }

    private func fill(_ memory: UnsafeMutableRawBufferPointer) -> Int {
        var done = 0
        while done < memory.count {
            let got = recv(descriptor, memory.baseAddress.map { $0 + done }, memory.count - done, 0)
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            done += got
        }
        return done
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

private func explicit_wipe(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    #if canImport(Darwin)
        _ = memset_s(start, memory.count, 0, memory.count)
    #else
        explicit_bzero(start, memory.count)
    #endif
}
