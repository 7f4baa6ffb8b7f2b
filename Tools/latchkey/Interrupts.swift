import CSpawn  // Its headers may be where the compiler finds sigset_t.
import Latchkey
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Turns Ctrl-C, SIGTERM and SIGHUP into a cancelled task, so that every command ends in the same way: terminal
/// restored, listener closed. A second signal ends the program at once, and so do three more seconds in which nothing is
/// under way that must not be lost.
enum Interrupts {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// How long after the first signal further ones count as the same: `timeout` sends its signal to the program and
    /// to the group that it is in.
    private static let same = Duration.milliseconds(500)

    /// The pipe that the handler writes to: reading end, writing end.
    private static let pipe: (reading: Int32, writing: Int32) = PrivatePair.open(nonblocking: true) ?? (-1, -1)

    /// Catches the signals for ``wait(_:)``, and ignores SIGPIPE. A signal that was already ignored when the
    /// program started (`nohup`) stays ignored.
    static func install() {
        // Created before the first signal, because a handler must not create it.
        _ = pipe
        signal(SIGPIPE, SIG_IGN)
        for number in signals where !isIgnored(number) {
            signal(number) { number in
                // Only calls that a handler may make: the pipe exists already, and `write` is allowed.
                let saved = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = writeByte(Interrupts.pipe.writing, &byte)
                errno = saved
            }
        }
    }

    /// Waits for signals, and calls `stop` at the first one, with its number.
    ///
    /// - Parameter mustWait: Whether the program must not end yet, though its time is over.
    static func wait(while mustWait: () -> Bool, _ stop: (Int32) -> Void) -> Never {
        guard let first = wait(pipe.reading, milliseconds: -1) else {
            // Without the pipe, signals do nothing any more, and the program ends by itself.
            while true { pause() }
        }
        stop(first)
        let clock = SystemClock()
        let sameUntil = clock.now() + same
        while mustWait() {
            if wait(pipe.reading, milliseconds: 3_000) != nil, clock.now() >= sameUntil { break }
        }
        // What may end at once still tidies up.
        if !mustWait() { _ = wait(pipe.reading, milliseconds: 3_000) }
        TerminalState.restore()
        _exit(128 + first)
    }

    /// Resets every signal to what a new program expects.
    static func restoreDefaults() {
        // The pools' threads block almost every signal, and a new program would inherit that.
        var mask = sigset_t()
        sigemptyset(&mask)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        for number in signals + [SIGPIPE] where number == SIGPIPE || !isIgnored(number) { signal(number, SIG_DFL) }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #elseif canImport(Glibc)
            let handler = action.__sigaction_handler.sa_handler
        #else
            let handler = action.__sa_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func wait(_ file: Int32, milliseconds: Int32) -> Int32? {
        var byte: UInt8 = 0
        while true {
            var descriptor = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            let ready = poll(&descriptor, 1, milliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            if readByte(file, &byte) == 1 { return Int32(byte) }
        }
    }
}

private func writeByte(_ file: Int32, _ byte: UnsafePointer<UInt8>) -> Int { write(file, byte, 1) }
private func readByte(_ file: Int32, _ byte: UnsafeMutablePointer<UInt8>) -> Int { read(file, byte, 1) }
