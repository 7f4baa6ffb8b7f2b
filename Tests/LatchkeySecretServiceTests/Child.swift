#if os(Linux)
    import FoundationEssentials
    import Latchkey
    import LatchkeySystem

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A program that a test runs, ended with the value at the latest.
    final class Child: Sendable {
        struct Failed: Error, CustomStringConvertible {
            var description: String
        }

        let number: pid_t
        private let output: Int32
        private let isEnded = Locked(false)

        /// Starts it, with `input` to read and a pipe to write to.
        init(_ program: String, _ arguments: [String], variables: [String: String] = [:], input: String = "") throws {
            var (given, told): ([Int32], [Int32]) = ([0, 0], [0, 0])
            guard pipe(&given) == 0, pipe(&told) == 0 else { throw Failed(description: "no pipe") }
            for end in given + told { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            var environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
            for name in ["DISPLAY", "WAYLAND_DISPLAY"] { environment[name] = nil }
            var argv = ([program] + arguments).map { strdup($0) } + [nil]
            var envp = environment.map { strdup("\($0)=\($1)") } + [nil]
            defer { for text in argv + envp { free(text) } }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, given[0], 0)
            posix_spawn_file_actions_adddup2(&actions, told[1], 1)
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
            var process: pid_t = 0
            let problem = posix_spawn(&process, program, &actions, nil, &argv, &envp)
            close(given[0])
            close(told[1])
            var bytes = Array(input.utf8)
            _ = write(given[1], &bytes, bytes.count)
            close(given[1])
            guard problem == 0 else {
                close(told[0])
                throw Failed(description: "\(program) cannot be started (\(problem))")
            }
            (number, output) = (process, told[0])
        }

        /// The next line that it writes; blocks.
        func line() -> String {
            var text: [UInt8] = []
            var byte: UInt8 = 0
            while read(output, &byte, 1) == 1, byte != 0x0A { text.append(byte) }
            return String(decoding: text, as: UTF8.self)
        }

        /// Waits for its end on a thread of its own: its status, and the rest that it wrote.
        func ended() async throws -> (status: Int32, output: String) {
            let result = await DetachedThread.run { [self] in
                var text: [UInt8] = []
                var piece = [UInt8](repeating: 0, count: 4_096)
                while true {
                    let count = read(output, &piece, piece.count)
                    guard count > 0 else { break }
                    text += piece[..<count]
                }
                return (reap(), String(decoding: text, as: UTF8.self))
            }
            guard let result else { throw Failed(description: "no thread") }
            return result
        }

        /// Whether a signal has ended it that it did not get from here, such as that of a failed assertion.
        var hasCrashed: Bool {
            isEnded.withLock { isEnded in
                var status: Int32 = 0
                guard !isEnded, waitpid(number, &status, WNOHANG) == number else { return false }
                isEnded = true
                return status & 0x7F != 0
            }
        }

        func signal(_ signal: Int32) { isEnded.withLock { if !$0 { kill(number, signal) } } }

        func kill() {
            signal(SIGKILL)
            _ = reap()
        }

        @discardableResult private func reap() -> Int32 {
            var status: Int32 = -1
            let mine = isEnded.withLock { isEnded in
                defer { isEnded = true }
                return !isEnded
            }
            if mine { while waitpid(number, &status, 0) < 0, errno == EINTR {} }
            return status
        }

        private func kill(_ number: pid_t, _ signal: Int32) { _ = Glibc.kill(number, signal) }

        deinit {
            kill()
            close(output)
        }
    }
#endif
