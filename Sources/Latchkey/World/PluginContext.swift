/// Time, randomness, disk, processes, tasks and an observer: what stores, unlocks, presenters and transports
/// receive at `init`.
///
/// Everything that is not a pure function comes from here, so that a simulation can replace the machine.
public struct PluginContext: Sendable {
    /// The clock.
    public var clock: any AuthClock
    /// Returns `count` random bytes that are fit for keys.
    public var random: @Sendable (_ count: Int) -> [UInt8]
    /// The disk.
    public var files: any FileAccess
    /// Which processes still run.
    public var processes: any ProcessLooking
    /// The observer of what happens.
    public var observer: any AuthObserver
    /// Starts a task. Plugins must start tasks with it only. The name is for traces.
    public var start: @Sendable (_ name: StaticString, _ work: @escaping @Sendable () async -> Void) -> Void

    /// Creates a context.
    public init(
        clock: any AuthClock, random: @escaping @Sendable (Int) -> [UInt8], files: any FileAccess,
        processes: any ProcessLooking = UnknownProcesses(), observer: any AuthObserver = SilentObserver(),
        start: @escaping @Sendable (StaticString, @escaping @Sendable () async -> Void) -> Void
    ) {
        self.clock = clock
        self.random = random
        self.files = files
        self.processes = processes
        self.observer = observer
        self.start = start
    }

    /// The real machine: `CLOCK_BOOTTIME`, the kernel's randomness, the file system, the global executor.
    public static let system = PluginContext(
        clock: SystemClock(), random: SystemRandom.bytes, files: SystemFiles(), processes: SystemProcesses(),
        start: { _, work in Task.detached { await work() } })

    /// Returns `count` random bytes as lower-case hexadecimal text.
    public func randomName(bytes count: Int = 16) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in random(count) {
            text.append(Self.digit(byte >> 4))
            text.append(Self.digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}
