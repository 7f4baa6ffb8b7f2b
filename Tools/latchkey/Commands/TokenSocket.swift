import Latchkey
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A socket that a child inherits. It answers each line feed with the present access token and a line feed.
final class TokenSocket: Sendable {
    /// The variable with the descriptor's number.
    static let variable = "LATCHKEY_ACCESS_TOKEN_FD"

    /// The end for the child. It is closed when another program runs, unless that is told to inherit it.
    let childEnd: Int32
    /// The number that the child has it under: the first of 3 to 9 that it does not get from elsewhere, because the
    /// redirections of a POSIX shell take one digit.
    let shownAs: Int32
    private let ownEnd: Int32
    private let token: Locked<Secret>

    /// Creates a socket that answers with `token`, on a thread of its own, until ``end()``.
    ///
    /// - Throws: ``ToolError`` if the system has no socket left.
    init(_ token: Secret) throws {
        guard let ends = PrivatePair.open() else { throw Self.failure(errno) }
        (childEnd, ownEnd) = ends
        let passed = InheritedDescriptors.passed ?? []
        shownAs = (3...9).first { !passed.contains($0) } ?? childEnd
        self.token = Locked(token)
        guard DetachedThread.start({ [self] in serve() }) else { throw Self.failure(EAGAIN) }
    }

    private static func failure(_ problem: Int32) -> ToolError {
        ProgramReplacement.failure(.cannotRun, "error.tokenSocket", parts: ["problem": SystemProblem.text(problem)])
    }

    deinit {
        close(childEnd)
        close(ownEnd)
    }

    /// Answers with `token` from now on.
    func set(_ token: Secret) { self.token.withLock { $0 = token } }

    /// Stops answering. A reader finds the end of the stream.
    func end() { shutdown(ownEnd, Int32(SHUT_RDWR)) }

    private func serve() {
        var byte: UInt8 = 0
        while true {
            let got = systemRead(ownEnd, &byte, 1)
            if got < 0, errno == EINTR { continue }
            guard got == 1 else { return }
            guard byte == UInt8(ascii: "\n") else { continue }
            guard answer(token.withLock { $0.reveal() } + [byte]) else { return }
        }
    }

    private func answer(_ line: [UInt8]) -> Bool {
        var done = 0
        while done < line.count {
            let put = line[done...].withUnsafeBytes { systemWrite(ownEnd, $0.baseAddress, $0.count) }
            if put < 0, errno == EINTR { continue }
            guard put > 0 else { return false }
            done += put
        }
        return true
    }
}

private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, buffer, count)
}

private func systemWrite(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int { write(file, buffer, count) }
