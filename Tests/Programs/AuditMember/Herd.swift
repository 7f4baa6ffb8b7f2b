import LatchkeyTesting

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The processes that write and are killed, and what they have said.
final class Herd {
    /// What a process said: a letter, and numbers.
    struct Word {
        var letter: Character
        var writer: Int
        var count: Int
        var code: String?
    }

    private let reading: Int32
    private let writing: Int32
    private var rest: [UInt8] = []
    private var living: [Int: pid_t] = [:]

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "no pipe")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
        _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    }

    deinit { for number in Array(living.keys) { strike(number) } }

    func start(_ number: Int, _ directory: String, bytes: Int) {
        let words: [String] = ["audit-member", "write", "\(number)", directory, "\(bytes)"]
        guard let process = Spawn.start(Spawn.own, words, descriptors: [STDOUT_FILENO: writing]) else {
            preconditionFailure("no process")
        }
        living[number] = process
    }

    /// Kills it, and returns when it is gone.
    func strike(_ number: Int) {
        guard let process = living.removeValue(forKey: number) else { return }
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// What was said since the last time. Waits a millisecond at most for the first word.
    func words() -> [Word] {
        var wanted = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        poll(&wanted, 1, 1)
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(reading, &piece, piece.count)
            guard count > 0 else { break }
            rest += piece[..<count]
        }
        guard let end = rest.lastIndex(of: 0x0A) else { return [] }
        let lines = rest[..<end].split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        rest.removeFirst(end + 1)
        return lines.compactMap { line in
            let parts = line.split(separator: " ")
            guard parts.count > 1, let letter = parts[0].first, let writer = Int(parts[1]) else { return nil }
            let count = parts.count > 2 ? Int(parts[2]) ?? 0 : 0
            return Word(letter: letter, writer: writer, count: count, code: parts.count > 3 ? String(parts[3]) : nil)
        }
    }
}
