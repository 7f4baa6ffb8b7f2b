import CTerminal
import FoundationEssentials

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What may be written to a terminal.
package enum TerminalLook: Hashable, Sendable {
    /// Lines, colours and what moves the cursor.
    case coloured
    /// The same without colours, as `NO_COLOR` wants it (no-color.org).
    case plain
    /// Lines alone: `TERM=dumb` says that the terminal knows no control sequence.
    case lines

    /// Reads `TERM` and `NO_COLOR`.
    package init(environment: [String: String]) {
        if environment["TERM"] == "dumb" {
            self = .lines
        } else {
            self = environment["NO_COLOR"]?.isEmpty == false ? .plain : .coloured
        }
    }

    /// The look of this process's terminal.
    static var system: TerminalLook { TerminalLook(environment: ProcessInfo.processInfo.environment) }
}

/// Whether somebody can be asked.
package enum TerminalFront {
    /// Whether the process has a terminal and is in front of it, even if its output is redirected. A job in the
    /// background (`latchkey login &`) is not: the terminal is the shell's.
    package static var isHere: Bool {
        let file = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return isHeld(file)
    }

    /// Whether the process is in front of the terminal that `descriptor` is; true for one that controls no process here.
    package static func isHeld(_ descriptor: Int32) -> Bool { latchkey_terminal_is_front(descriptor) != 0 }
}
