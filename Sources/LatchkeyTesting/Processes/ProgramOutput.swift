import LatchkeySystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs a program to its end for a test.
package enum ProgramOutput {
    /// The program could not be run.
    package struct Failed: Error {}

    /// Returns what the program at the path `program` writes to its standard output.
    package static func of(_ program: String, _ arguments: [String] = []) async throws -> String {
        let output = await DetachedThread.run { () -> String? in
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { return nil }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            let process = Spawn.start(program, [program] + arguments, descriptors: [STDOUT_FILENO: ends[1]])
            close(ends[1])
            defer { close(ends[0]) }
            guard let process else { return nil }
            var text: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(ends[0], &piece, piece.count)
                guard count > 0 else { break }
                text += piece[..<count]
            }
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            return String(decoding: text, as: UTF8.self)
        }
        guard let output = output.flatMap(\.self) else { throw Failed() }
        return output
    }
}
