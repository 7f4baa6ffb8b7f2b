#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A program that shows a question in a window, such as `ssh-askpass`: for processes without a terminal.
///
/// It is called and read as OpenSSH does it (ssh-add(1), `SSH_ASKPASS`): the question is its argument,
/// `SSH_ASKPASS_PROMPT` is `confirm`, and it means yes if it ends with 0 and prints nothing or "yes".
struct AskingProgram: Sendable {
    /// The variables that name it, in this order.
    static let variables = ["LATCHKEY_ASKPASS", "SSH_ASKPASS"]

    /// Its absolute path.
    let path: String

    /// The program that the environment names; `nil` if there is none that can be run.
    init?(_ environment: [String: String]) {
        let named = Self.variables.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let named, named.hasPrefix("/"), access(named, X_OK) == 0 else { return nil }
        var found = stat()
        guard stat(named, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return nil }
        path = named
    }

    /// Asks, and waits on this thread. Returns whether the person said yes within `seconds`.
    func confirms(_ question: String, within seconds: Int) -> Bool {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let process = DetachedProgram.start(
            path, [path, question], adding: ["SSH_ASKPASS_PROMPT": "confirm"], output: ends[1])
        close(ends[1])
        guard let process else { return false }
        let answer = Self.read(ends[0], within: seconds)
        if answer == nil { kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return false } }
        guard let answer, status == 0 else { return false }
        let word = String(decoding: answer.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return word.isEmpty || word.lowercased() == "yes"
    }

    /// Reads up to the end; `nil` if it does not come in time, or there is more than a short answer.
    private static func read(_ file: Int32, within seconds: Int) -> [UInt8]? {
        let end = now() + seconds * 1_000
        var (answer, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 256))
        while answer.count <= 256 {
            var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            let found = poll(&waiting, 1, Int32(clamping: max(0, end - now())))
            if found < 0, errno == EINTR { continue }
            guard found > 0 else { return nil }
            let count = systemRead(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? answer : nil }
            answer += buffer[..<count]
        }
        return nil
    }

    /// In milliseconds.
    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
    }
}

private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, buffer, count)
}
