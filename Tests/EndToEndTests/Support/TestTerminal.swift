import LatchkeySystem
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// A terminal of a test: what a program writes to it can be read, and keys can be pressed.
final class TestTerminal: Sendable {
    /// The device that a program opens.
    let path: String
    private let master: Int32
    private let seen = Locked("")

    /// A terminal that says nothing about its size, unless both are given.
    init(columns: UInt16 = 0, rows: UInt16 = 0) throws {
        #if os(Linux)
            master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
            // TIOCSPTLCK and TIOCGPTN of asm-generic/ioctls.h; the wrappers of stdlib.h are not shown to Swift.
            var (unlocked, number): (Int32, UInt32) = (0, 0)
            try #require(master >= 0 && ioctl(master, 0x4004_5431, &unlocked) == 0)
            try #require(ioctl(master, 0x8004_5430, &number) == 0)
            path = "/dev/pts/\(number)"
        #else
            master = posix_openpt(O_RDWR | O_NOCTTY)
            try #require(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0)
            _ = fcntl(master, F_SETFL, O_NONBLOCK)
            var name = [CChar](repeating: 0, count: 128)
            try #require(ptsname_r(master, &name, name.count) == 0)
            path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #endif
        guard columns > 0 else { return }
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(master, UInt(TIOCSWINSZ), &size) == 0)
    }

    deinit { close(master) }

    /// Everything that was shown so far.
    func screen() -> String {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let got = read(master, &buffer, buffer.count)
            guard got > 0 else { return seen.withLock { $0 } }
            seen.withLock { $0 += String(decoding: buffer.prefix(got), as: UTF8.self) }
        }
    }

    /// Presses keys.
    func type(_ text: String) { _ = write(master, text, text.utf8.count) }

    /// Whether what is typed shows.
    var echoes: Bool {
        var settings = termios()
        tcgetattr(master, &settings)
        return settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// The settings, to be compared.
    var settings: [UInt8] {
        var settings = termios()
        tcgetattr(master, &settings)
        return withUnsafeBytes(of: settings) { Array($0) }
    }

    /// Waits until `condition` holds.
    func wait(until condition: () -> Bool) async throws {
        let held = try await Child.poll(within: 60) { condition() ? true : nil }
        try #require(held == true, "The terminal shows:\n\(screen())")
    }
}
