import FoundationEssentials
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// A program that a test runs as a process of its own.
struct Program: Sendable {
    /// What it wrote and how it ended.
    struct Result: Sendable {
        /// Its exit status; 128 and the number where a signal ended it.
        var status: Int32
        var output: String
        var errors: String
    }

    /// What a program has of the tests' own environment: where programs are, and how a sanitizer reports.
    private static let inherited: Set<String> = ["PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"]

    let path: String

    init(_ path: String) { self.path = path }

    /// The program `name` on the path; `nil` when there is none.
    static func onPath(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { access($0, X_OK) == 0 }
    }

    /// Runs it to its end, which must come within `seconds`.
    func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = "", within seconds: Int = 60
    ) async throws -> Result {
        let child = try start(arguments, environment: environment, input: input)
        return try await child.wait(within: seconds)
    }

    /// Starts it, with its output going to files, so that no pipe can fill.
    func start(_ arguments: [String], environment: [String: String] = [:], input: String = "") throws -> Child {
        let folder = TemporaryFolder()
        let (inputPath, outputPath, errorPath) = ("\(folder.path)/in", "\(folder.path)/out", "\(folder.path)/err")
        try Array(input.utf8).withUnsafeBytes { bytes in
            let file = open(inputPath, O_WRONLY | O_CREAT, 0o600)
            defer { close(file) }
            try #require(write(file, bytes.baseAddress, bytes.count) == bytes.count)
        }
        let pid = try spawn(
            arguments, environment,
            files: [
                (inputPath, O_RDONLY), (outputPath, O_WRONLY | O_CREAT | O_APPEND),
                (errorPath, O_WRONLY | O_CREAT | O_APPEND),
            ])
        return Child(pid: pid, folder: folder, outputPath: outputPath, errorPath: errorPath)
    }

    /// Starts it at a terminal of its own.
    func start(at terminal: TestTerminal, _ arguments: [String], environment: [String: String]) throws -> Child {
        let files = [Int32](repeating: O_RDWR, count: 3).map { (terminal.path, $0) }
        let pid = try spawn(arguments, environment, files: files)
        return Child(pid: pid, folder: TemporaryFolder(), outputPath: "/none", errorPath: "/none")
    }

    private func spawn(
        _ arguments: [String], _ environment: [String: String], files: [(path: String, flags: Int32)]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, file) in files.enumerated() {
            posix_spawn_file_actions_addopen(&actions, Int32(number), file.path, file.flags, 0o600)
        }
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var inherited = ProcessInfo.processInfo.environment.filter { Self.inherited.contains($0.key) }
        inherited.merge(environment) { $1 }
        var variables: [UnsafeMutablePointer<CChar>?] = inherited.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Its own session: no test may reach the terminal of whoever runs the tests.
        // And the signals of a shell's child: threads of the tests' pool block most.
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK))
        var pid: pid_t = 0
        try #require(posix_spawn(&pid, path, &actions, &attributes, &words, &variables) == 0)
        return pid
    }
}

// POSIX_SPAWN_SETSID, which the headers show only to some: spawn.h of glibc and of Darwin.
#if canImport(Darwin)
    private let newSession: Int16 = 0x0400
#else
    private let newSession: Int16 = 0x80
#endif
