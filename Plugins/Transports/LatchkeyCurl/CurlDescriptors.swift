import CCurl

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Keeps programs that the app starts from inheriting libcurl's descriptors.
///
/// Connections are opened close-on-exec (`shim_curl_set_opening`). libcurl also has pairs of sockets, which it opens
/// without that flag, at least up to 8.13: one pair for `curl_multi_wakeup`, and one for each name lookup. libcurl
/// names at most one end of a pair, so this sends bytes into that end and looks where they arrive. Without Linux's
/// list of descriptors it does nothing.
enum CurlDescriptors {
    /// Marks the pair that wakes `multi`. Call it before any transfer is under way there.
    static func keep(from multi: UnsafeMutableRawPointer) {
        #if os(Linux)
            let empty = pairs().filter { waiting($0) == 0 }
            guard !empty.isEmpty else { return }
            let count: Int32 = 3
            for _ in 0..<count { shim_curl_multi_wakeup(multi) }
            let woken = empty.filter { waiting($0) == count }
            // Take the bytes out again.
            shim_curl_multi_look(multi)
            for end in woken where waiting(end) == 0 { keep(end) }
        #endif
    }

    /// Marks `socket`, which is libcurl's, and the other end of its pair if it has one.
    static func keep(_ socket: Int32) {
        let flags = fcntl(socket, F_GETFD)
        guard flags >= 0, flags & FD_CLOEXEC == 0 else { return }
        #if os(Linux)
            if isPair(socket) { keepPeer(of: socket) }
        #endif
        mark(socket)
    }

    private static func mark(_ socket: Int32) { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }

    #if os(Linux)
        /// The bytes that are sent to find the other end. libcurl does not read them there.
        private static let call = Array("latchkey".utf8)

        private static func keepPeer(of socket: Int32) {
            let empty = pairs().filter { $0 != socket && waiting($0) == 0 }
            let options = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            guard send(socket, call, call.count, options) == call.count else { return }
            var heard = [UInt8](repeating: 0, count: call.count)
            for end in empty where waiting(end) == call.count {
                let look = Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)
                guard recv(end, &heard, heard.count, look) == call.count, heard == call else { continue }
                _ = recv(end, &heard, heard.count, Int32(MSG_DONTWAIT))
                return mark(end)
            }
        }

        /// The ends of socket pairs that are not close-on-exec.
        private static func pairs() -> [Int32] {
            guard let directory = opendir("/proc/self/fd") else { return [] }
            defer { closedir(directory) }
            var found: [Int32] = []
            while let entry = readdir(directory) {
                // The name is a number, or one or two dots.
                var number: Int32 = 0
                withUnsafeBytes(of: &entry.pointee.d_name) { name in
                    for digit in name.prefix(while: { $0 != 0 }) {
                        number = (0x30...0x39).contains(digit) ? number &* 10 &+ Int32(digit - 0x30) : -1
                    }
                }
                if number > 2, fcntl(number, F_GETFD) == 0, isPair(number) { found.append(number) }
            }
            return found
        }

        /// Whether `socket` is a local socket without an address, as both ends of a pair are.
        private static func isPair(_ socket: Int32) -> Bool {
            var address = sockaddr_un()
            var length = socklen_t(MemoryLayout<sockaddr_un>.size)
            let answer = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
            }
            let nameless = MemoryLayout<sa_family_t>.size
            return answer == 0 && Int32(address.sun_family) == AF_UNIX && Int(length) == nameless
        }

        /// The number of bytes that wait to be read from `socket`.
        private static func waiting(_ socket: Int32) -> Int32 {
            var count: Int32 = -1
            return ioctl(socket, UInt(FIONREAD), &count) == 0 ? count : -1
        }
    #endif
}
