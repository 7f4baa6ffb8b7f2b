import Dispatch
import Glibc
import Latchkey

/// A program with a pipe at either end: it is told lines, and tells lines. It is meant to end when its input does, so
/// that it ends with this process, however that ends.
final class HeldProcess: Sendable {
    let pid: pid_t
    private let input: Int32
    private let output: Int32

    init(_ program: String, _ arguments: [String]) throws {
        let toChild = try Self.pair()
        let fromChild = try Self.pair()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        // The thread that this runs on blocks signals, and a child would inherit that: it could not be stopped.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var child = pid_t()
        let status = posix_spawn(&child, program, &actions, &attributes, &words, environ)
        close(toChild[0])
        close(fromChild[1])
        (pid, input, output) = (child, toChild[1], fromChild[0])
        // After the last field is set, so that both ends are closed.
        guard status == 0 else { throw ServerFailure(description: "\(program) cannot be run") }
    }

    deinit {
        close(input)
        close(output)
        waitpid(pid, nil, WNOHANG)
    }

    /// Ends it now.
    func kill() {
        Glibc.kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    /// Writes `line` to it.
    func tell(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = bytes.withUnsafeBytes { send(input, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// The next line it writes; `nil` when it ends first, or takes longer than `seconds`. Blocks the thread.
    func hear(within seconds: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            var wait = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, seconds * 1000) == 1, read(output, &byte, 1) == 1 else { return nil }
            if byte == 0x0A { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }

    /// Tells it `line`: the words of its answer, and how long that took.
    func answer(to line: String, within seconds: Int32 = 60) async throws -> (words: [String], took: Duration) {
        let clock = SystemClock()
        let told = clock.now()
        tell(line)
        let answer = try await Self.blocking { self.hear(within: seconds) }
        guard let answer else { throw ServerFailure(description: "a process does not answer to \(line)") }
        return (answer.split(separator: " ").map(String.init), clock.now() - told)
    }

    /// Does `work`, which blocks its thread, on one that tasks do not run on.
    static func blocking<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result { try work() }) }
        }
    }

    /// Two ends that no other child inherits: `pipe` could not promise that while another thread starts a program.
    private static func pair() throws -> [Int32] {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw ServerFailure(description: "no socket is left") }
        return ends
    }
}
