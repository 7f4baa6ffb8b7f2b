import Latchkey
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A secret in a descriptor that the caller has opened: `/dev/stdin`, or what a shell makes of `<(command)`.
///
/// It can be read once. What was read is kept for the rest of the command.
enum SecretDescriptor {
    private static let read = Locked<[Int32: [UInt8]]>([:])

    /// Returns the descriptor that `path` names; `nil` if it names a file.
    static func number(in path: String) -> Int32? {
        if path == "/dev/stdin" || path == "/proc/self/fd/0" { return 0 }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            return Int32(path.dropFirst(folder.count)).flatMap { $0 >= 0 ? $0 : nil }
        }
        return nil
    }

    /// Returns the first line, of at most `limit` bytes; `nil` if the descriptor is closed or cannot be read.
    ///
    /// - Throws: `CancellationError`, so that Ctrl-C ends the wait.
    static func line(in number: Int32, limit: Int) throws -> [UInt8]? {
        if let known = read.withLock({ $0[number] }) { return known }
        // One that the tool itself has opened is close-on-exec, and no caller's.
        let flags = fcntl(number, F_GETFD)
        guard flags >= 0, flags & FD_CLOEXEC == 0 else { return nil }
        var line: [UInt8] = []
        var byte: UInt8 = 0
        // A byte at a time, because what comes after the line belongs to the next reader.
        while line.count < limit {
            var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, 100)
            try Task.checkCancellation()
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            let got = systemRead(number, &byte)
            if got < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                return nil
            }
            if got == 0 || byte == UInt8(ascii: "\n") { break }
            line.append(byte)
        }
        read.withLock { [line] in $0[number] = line }
        return line
    }
}

private func systemRead(_ file: Int32, _ byte: UnsafeMutablePointer<UInt8>) -> Int { read(file, byte, 1) }
