import Latchkey
import LatchkeySystem
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// A process that a test has started. It is killed with the last reference when it is still running.
final class Child: Sendable {
    let pid: pid_t
    private let folder: TemporaryFolder
    private let outputPath: String
    private let errorPath: String
    private let ended = Locked<Int32?>(nil)

    init(pid: pid_t, folder: TemporaryFolder, outputPath: String, errorPath: String) {
        (self.pid, self.folder, self.outputPath, self.errorPath) = (pid, folder, outputPath, errorPath)
    }

    deinit {
        if status() == nil {
            kill(pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
    }

    /// What it wrote so far.
    var output: String { text(outputPath) }

    /// What it wrote to standard error so far.
    var errors: String { text(errorPath) }

    /// What Ctrl-C does.
    func interrupt() { signal(SIGINT) }

    func signal(_ number: Int32) { kill(pid, number) }

    /// Its end, which must come within `seconds`.
    func wait(within seconds: Int = 60) async throws -> Program.Result {
        let status = try await Self.poll(within: seconds) { self.status() }
        return Program.Result(
            status: try #require(status, "It did not end in time.\n\(errors)"), output: output, errors: errors)
    }

    /// What `find` finds in its output and errors, which must come within `seconds` and before its end.
    func find<Found>(
        within seconds: Int = 60, _ find: (_ output: String, _ errors: String) -> Found?
    ) async throws -> Found {
        var found: Found?
        _ = try await Self.poll(within: seconds) { () -> Bool? in
            let hasEnded = self.status() != nil
            found = find(self.output, self.errors)
            return found != nil || hasEnded ? true : nil
        }
        return try #require(found, "It did not write what was expected.\n\(output)\n\(errors)")
    }

    /// What the first capture of `pattern` is in what it writes.
    func find(_ pattern: Regex<(Substring, Substring)>) async throws -> String {
        try await find { output, errors in (errors + output).firstMatch(of: pattern).map { String($0.1) } }
    }

    private func status() -> Int32? {
        ended.withLock { ended in
            var status: Int32 = 0
            guard ended == nil, waitpid(pid, &status, WNOHANG) == pid else { return ended }
            ended = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
            return ended
        }
    }

    private func text(_ path: String) -> String {
        String(decoding: (try? SystemFiles().read(path, limit: 1 << 20)) ?? [], as: UTF8.self)
    }

    // Another process cannot be awaited; it is looked at every 5 ms, leaving the thread to the servers of the test.
    static func poll<Found>(within seconds: Int, _ look: () -> Found?) async throws -> Found? {
        for _ in 0..<(seconds * 200) {
            if let found = look() { return found }
            try await Task.sleep(for: .milliseconds(5))
        }
        return look()
    }
}
