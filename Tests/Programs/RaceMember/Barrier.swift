import Latchkey

#if canImport(Glibc)
    import Glibc
#endif

/// Lets every process go at one instant.
enum Barrier {
    /// Returns at `instant`, by a timer of the kernel's, which wakes all that wait for the same one together.
    static func pass(at instant: MonotonicInstant) async {
        #if canImport(Glibc)
            var time = timespec()
            time.tv_sec = Int(instant.nanoseconds / 1_000_000_000)
            time.tv_nsec = Int(instant.nanoseconds % 1_000_000_000)
            while clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &time, nil) == EINTR {}
        #else
            try? await SystemClock().sleep(until: instant)
        #endif
    }
}
