public import Latchkey

extension PluginContext {
    /// A world for tests: a clock that stands still and randomness that repeats with its seed.
    public static func testing(
        clock: any AuthClock = ManualClock(), seed: UInt64 = 1, files: any FileAccess = SystemFiles(),
        observer: any AuthObserver = SilentObserver()
    ) -> PluginContext {
        let random = SeededRandom(seed: seed)
        return PluginContext(
            clock: clock, random: { random.bytes($0) }, files: files, observer: observer,
            start: { _, work in Task.detached { await work() } })
    }
}
