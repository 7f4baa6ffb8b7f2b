import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A terminal whose person is the test.
final class PseudoTerminal: Sendable {
    let path: String
    private let person: Int32
    private let isOver = Locked(false)
    /// Held open, so that the mode outlives each question.
    let device: Int32
    private let seen = Locked<[UInt8]>([])

    init?(columns: UInt16 = 100, rows: UInt16 = 60) {
        guard let (person, path) = Self.opened() else { return nil }
        self.path = path
        self.person = person
        device = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard device >= 0, ioctl(device, UInt(TIOCSWINSZ), &size) == 0 else { return nil }
    }

    private static func opened() -> (Int32, String)? {
        #if canImport(Darwin)
            let person = posix_openpt(O_RDWR | O_NOCTTY)
            guard person >= 0, grantpt(person) == 0, unlockpt(person) == 0, let name = ptsname(person) else {
                return nil
            }
            return (person, String(cString: name))
        #else
            // What unlockpt and ptsname do, which the module map leaves out: TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)).
            let person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var (locked, number): (Int32, Int32) = (0, 0)
            guard person >= 0, ioctl(person, 0x4004_5431, &locked) == 0, ioctl(person, 0x8004_5430, &number) == 0 else {
                return nil
            }
            return (person, "/dev/pts/\(number)")
        #endif
    }

    deinit {
        hangUp()
        close(device)
    }

    /// What a window does that is closed.
    func hangUp() {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst { close(person) }
    }

    var text: String { String(decoding: seen.withLock { $0 }, as: UTF8.self) }

    /// The mode, as far as a person notices it.
    var echoes: Bool { mode.c_lflag & tcflag_t(ECHO) != 0 && mode.c_lflag & tcflag_t(ICANON) != 0 }

    private var mode: termios {
        var mode = termios()
        tcgetattr(device, &mode)
        return mode
    }

    /// Reads until `text` was shown, on a thread of its own; `false` after a minute.
    func shows(_ text: String) async -> Bool {
        await DetachedThread.run { [self] in
            var piece = [UInt8](repeating: 0, count: 4096)
            while !self.text.contains(text) {
                var watched = pollfd(fd: person, events: Int16(POLLIN), revents: 0)
                guard poll(&watched, 1, 60_000) > 0 else { return false }
                let count = read(person, &piece, piece.count)
                guard count > 0 else { return false }
                seen.withLock { $0 += piece[..<count] }
            }
            return true
        } ?? false
    }

    func type(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(person, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
