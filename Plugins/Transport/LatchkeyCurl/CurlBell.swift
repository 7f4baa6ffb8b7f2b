#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Wakes the one thread that sleeps on it; rung while nobody sleeps, it ends the next sleep.
final class CurlBell: Sendable {
    /// Can be read from while it is rung.
    let descriptor: Int32
    private let rope: Int32

    /// `nil` when the process has no descriptor left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, rope) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(rope)
    }

    /// Ends the sleep. A pipe that is full is rung already.
    func ring() {
        var byte: UInt8 = 0
        _ = write(rope, &byte, 1)
    }

    /// Makes ready for the next ring.
    func silence() {
        var bytes: UInt64 = 0
        while read(descriptor, &bytes, 8) == 8 {}
    }

    /// Sleeps until it is rung.
    func wait() {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&watched, 1, -1) > 0 { silence() }
    }
}
