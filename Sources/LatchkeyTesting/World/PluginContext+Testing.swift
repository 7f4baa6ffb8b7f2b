public import Latchkey

extension PluginContext {
    /// Returns a context for tests: a clock that stands still, randomness that repeats with its
    /// seed, a disk in memory.
    public static func testing(
        clock: any AuthClock = ManualClock(), seed: UInt64 = 1, files: any FileAccess = SimulatedFiles(),
        processes: any ProcessLooking = UnknownProcesses(), observer: any AuthObserver = SilentObserver()
    ) -> PluginContext {
        let random = SeededRandom(seed: seed)
        return PluginContext(
            clock: clock, random: { random.bytes($0) }, files: files, processes: processes, observer: observer,
            start: { _, work in Task.detached { await work() } })
    }
}
