import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Wakes the one thread that sleeps on it. If nothing sleeps, a ring ends the next sleep at once.
final class CurlBell: Sendable {
    /// The descriptor that becomes readable with a ring.
    let descriptor: Int32
    private let rope: Int32

    /// Returns `nil` when the process has no descriptor left.
    init?() {
        guard let ends = PrivatePair.open(nonblocking: true) else { return nil }
        (descriptor, rope) = ends
    }

    deinit {
        close(descriptor)
        close(rope)
    }

    /// Ends the sleep. If the pipe is full, a ring is waiting already.
    func ring() {
        var byte: UInt8 = 0
        _ = write(rope, &byte, 1)
    }

    /// Clears the ring, to be ready for the next one.
    func silence() {
        var bytes: UInt64 = 0
        while read(descriptor, &bytes, 8) == 8 {}
    }

    /// Sleeps until the next ring.
    func wait() {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&watched, 1, -1) > 0 { silence() }
    }
}
