public import FoundationEssentials

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The machine's clocks: `CLOCK_BOOTTIME` (on Apple platforms `CLOCK_MONOTONIC`, which counts sleep there) and the
/// wall clock.
public struct SystemClock: AuthClock {
    /// The name of the running boot: the kernel's boot ID, or the wall-clock second of the boot if there is none.
    public let boot: String

    /// Creates a clock and reads the boot's name.
    public init() { boot = Self.readBoot() }

    /// Returns the nanoseconds since boot, sleep included.
    public func now() -> MonotonicInstant { Self.uptime() }

    /// The same without an instance.
    static func uptime() -> MonotonicInstant {
        #if canImport(Darwin)
            let time = Self.read(CLOCK_MONOTONIC)
        #else
            let time = Self.read(CLOCK_BOOTTIME)
        #endif
        return MonotonicInstant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    /// Returns the wall-clock time.
    public func wall() -> Date {
        let time = Self.read(CLOCK_REALTIME)
        return Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }

    /// Sleeps in slices of at most 30 seconds, so that an instant that passes while the machine
    /// sleeps is noticed soon after it wakes, whatever clock the runtime's timer uses.
    public func sleep(until instant: MonotonicInstant) async throws {
        while true {
            try Task.checkCancellation()
            let rest = instant - now()
            guard rest > .zero else { return }
            try await Task.sleep(for: min(rest, .seconds(30)))
        }
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }

    private static func readBoot() -> String {
        #if os(Linux)
            if let bytes = try? SystemFiles().read("/proc/sys/kernel/random/boot_id", limit: 64) {
                let text = String(decoding: bytes.filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
                let offsets = (try? SystemFiles().read("/proc/self/timens_offsets", limit: 1_024)) ?? []
                if !text.isEmpty { return text + timeNamespace(String(decoding: offsets, as: UTF8.self)) }
            }
        #endif
        #if canImport(Darwin)
            let since = read(CLOCK_MONOTONIC)
        #else
            let since = read(CLOCK_BOOTTIME)
        #endif
        return "booted-\(read(CLOCK_REALTIME).tv_sec - since.tv_sec)"
    }

    /// What tells the boot's clock in another time namespace from the machine's own: its offset, as `+SECONDS.NANOSECONDS`;
    /// empty where there is none (`time_namespaces(7)`). An instant of one clock means nothing by the other.
    static func timeNamespace(_ offsets: String) -> String {
        for line in offsets.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            guard words.count == 3, words[0] == "boottime" || words[0] == "7" else { continue }
            return words[1] == "0" && words[2] == "0" ? "" : "+\(words[1]).\(words[2])"
        }
        return ""
    }
}
