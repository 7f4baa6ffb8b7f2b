import Latchkey
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A pipe into which an observer writes, and which a contract reads, or does not.
///
/// A thread of its own reads it: an observer may block the threads of the tasks' pool, and must be let go all the same.
final class ObservedPipe: Sendable {
    /// What is in the descriptor.
    enum Kind {
        /// A pipe of one page.
        case pipe
        /// A pipe whose writes never wait, as where another program has made a shared descriptor so.
        case impatient
        /// A socket that holds a few writes, however short they are.
        case socket
    }

    /// How the pipe is read.
    enum Pace {
        /// Not at all, for at most ``longestRest``.
        case never
        /// A few bytes at a time, and at first nothing for a moment.
        case slowly
        /// As fast as it can be.
        case fast
    }

    fileprivate struct State {
        var reader: Int32
        var identity: UInt64
        var pace: Pace
        var rest: [UInt8] = []
        var lines: [String] = []
        var hasEnded = false
    }

    static var longestRest: Duration { .seconds(8) }
    /// Where the observer writes.
    let writer: Int32
    private let state: Locked<State>
    private let flags: Int32

    /// Creates an empty one.
    init(_ kind: Kind = .pipe, _ pace: Pace = .fast) throws {
        let ends = try Self.make(kind)
        writer = ends.writer
        state = Locked(State(reader: ends.reader, identity: Self.identity(of: ends.writer), pace: pace))
        flags = fcntl(ends.writer, F_GETFL)
        guard DetachedThread.start({ [self] in readAll() }) else { throw Broken("the system has no thread left") }
    }

    private static func make(_ kind: Kind) throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [-1, -1]
        if kind == .socket {
            guard let pair = PrivatePair.open() else { throw Broken("the system has no socket left") }
            ends = [pair.reading, pair.writing]
            var size: Int32 = 1
            setsockopt(pair.writing, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        } else {
            guard pipe(&ends) == 0 else { throw Broken("the system has no pipe left") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            #if os(Linux)
                // F_SETPIPE_SZ
                _ = fcntl(ends[1], 1_031, 4_096)
            #endif
        }
        _ = fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK)
        if kind == .impatient { _ = fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) | O_NONBLOCK) }
        return (ends[0], ends[1])
    }

    /// Reads it from now on.
    func read() { state.withLock { $0.pace = .fast } }

    /// Takes the whole lines that have come.
    func lines() -> [String] {
        state.withLock { state in
            defer { state.lines = [] }
            return state.lines
        }
    }

    /// Adds lines to `lines` until `isEnough` says so, or nothing has come for some seconds.
    func read(_ lines: inout [String], until isEnough: ([String]) -> Bool) async throws {
        let clock = PluginContext.system.clock
        var last = clock.now()
        while !isEnough(lines), clock.now() - last < .seconds(3) {
            let new = self.lines()
            if new.isEmpty { try await Task.sleep(for: .milliseconds(1)) } else { last = clock.now() }
            lines += new
        }
    }

    /// Closes the end that is read.
    func closeReader() {
        state.withLock { state in
            close(state.reader)
            state.reader = -1
        }
    }

    /// Puts a new pipe in place of this one, under the same descriptor.
    func renew() throws {
        let ends = try Self.make(.pipe)
        dup2(ends.writer, writer)
        close(ends.writer)
        state.withLock { state in
            (state.reader, state.identity, state.rest) = (ends.reader, Self.identity(of: writer), [])
        }
    }

    /// Throws ``Broken`` if the observer has closed the descriptor, or changed what it shares with others.
    func expectUntouched() throws {
        try expect(isOurs, "it closed the descriptor")
        try expect(fcntl(writer, F_GETFL) == flags, "it changed how the descriptor takes what is written")
    }

    /// Whether the number is still that of this pipe. That of one that the observer has closed may be another's.
    private var isOurs: Bool { Self.identity(of: writer) == state.withLock { $0.identity } }

    /// Closes both ends, soon. What is still written goes nowhere, and no write fails for it.
    func end() {
        let isOurs = isOurs
        if isOurs {
            let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
            dup2(null, writer)
            close(null)
        }
        state.withLock { state in
            state.hasEnded = true
            state.identity = isOurs ? Self.identity(of: writer) : .max
        }
    }

    /// Reads until the pipe has no writer any more. A write that is under way at the end can so end, too.
    private func readAll() {
        let clock = PluginContext.system.clock
        let begin = clock.now()
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let (reader, pace, hasEnded) = state.withLock { ($0.reader, $0.pace, $0.hasEnded) }
            if reader < 0, hasEnded { break }
            let rest: Duration =
                switch pace {
                case .never: Self.longestRest
                case .slowly: .milliseconds(20)
                case .fast: .zero
                }
            guard reader >= 0, hasEnded || clock.now() - begin >= rest else {
                usleep(1_000)
                continue
            }
            let most = pace == .slowly && !hasEnded ? 701 : bytes.count
            let (count, problem) = state.withLock { state in
                let count = state.reader < 0 ? -1 : systemRead(state.reader, &bytes, most)
                let problem = errno
                if count > 0 { state.take(bytes.prefix(count)) }
                return (count, problem)
            }
            if count > 0, most == bytes.count { continue }
            if hasEnded, count == 0 || count < 0 && problem != EAGAIN && problem != EINTR {
                close(reader)
                break
            }
            usleep(500)
        }
        // What is written later must not get into another file of the same number.
        sleep(2)
        if isOurs { close(writer) }
    }

    private static func identity(of file: Int32) -> UInt64 {
        var found = stat()
        return fstat(file, &found) == 0 ? UInt64(found.st_ino) : 0
    }
}

extension ObservedPipe.State {
    fileprivate mutating func take(_ bytes: ArraySlice<UInt8>) {
        rest += bytes
        guard let end = rest.lastIndex(of: 0x0A) else { return }
        for line in rest[..<end].split(separator: 0x0A, omittingEmptySubsequences: false) {
            lines.append(String(decoding: line, as: UTF8.self))
        }
        rest = Array(rest[(end + 1)...])
    }
}

private func systemRead(_ file: Int32, _ bytes: inout [UInt8], _ most: Int) -> Int {
    #if canImport(Darwin)
        Darwin.read(file, &bytes, most)
    #elseif canImport(Glibc)
        Glibc.read(file, &bytes, most)
    #else
        Musl.read(file, &bytes, most)
    #endif
}
