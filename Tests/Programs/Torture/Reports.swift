#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The one pipe through which every process tells what it does, a line at a time.
final class Reports {
    private let reading: Int32
    let writing: Int32
    private var rest: [UInt8] = []

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "no pipe")
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Waits until something is there, or until an instant.
    func wait(until instant: Int64) {
        let left = max(0, instant - System.now())
        var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, Int32(min(1_000, (left + 999_999) / System.millisecond)))
    }

    /// Every line that is there now, as words.
    func lines() -> [[Substring]] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(reading, &buffer, buffer.count)
            guard count > 0 else { break }
            rest += buffer[..<count]
        }
        guard let end = rest.lastIndex(of: 0x0A) else { return [] }
        let text = String(decoding: rest[..<end], as: UTF8.self)
        rest.removeFirst(end + 1)
        return text.split(separator: "\n").map { $0.split(separator: " ") }
    }
}
