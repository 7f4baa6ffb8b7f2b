import LatchkeyLocked

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
        guard let ends = PrivatePair.open(nonblocking: true) else { return nil }
        (descriptor, rope) = ends
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
