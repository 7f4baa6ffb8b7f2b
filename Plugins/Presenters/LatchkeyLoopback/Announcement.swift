import Latchkey
import LatchkeyLocked

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Writes the address to open to the terminal, or to standard error if there is no terminal.
enum Announcement {
    /// Does not wait for the output, because a stopped terminal takes its time.
    @Sendable static func print(_ url: String) {
        let words = LoopbackTexts.table.text("open", in: .system)
        let bytes = Array("\(words)\n  \(url)\n".utf8)
        _ = DetachedThread.start {
            let terminal = open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC)
            defer { if terminal >= 0 { close(terminal) } }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(terminal >= 0 ? terminal : 2, $0.baseAddress, $0.count) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
