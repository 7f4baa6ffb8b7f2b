/// Time, randomness, disk, tasks and eyes: what stores, unlocks, presenters and transports get at `init`.
///
/// Everything that is not a pure function comes from here, so that a simulation can stand in for the machine.
public struct PluginContext: Sendable {
    /// Time.
    public var clock: any AuthClock
    /// So many random bytes, fit for keys.
    public var random: @Sendable (_ count: Int) -> [UInt8]
    /// The disk.
    public var files: any FileAccess
    /// Sees what happens.
    public var observer: any AuthObserver
    /// Starts a task: the only way to. The name is for traces.
    public var start: @Sendable (_ name: StaticString, _ work: @escaping @Sendable () async -> Void) -> Void

    /// A context of its parts.
    public init(
        clock: any AuthClock, random: @escaping @Sendable (Int) -> [UInt8], files: any FileAccess,
        observer: any AuthObserver = SilentObserver(),
        start: @escaping @Sendable (StaticString, @escaping @Sendable () async -> Void) -> Void
    ) {
        self.clock = clock
        self.random = random
        self.files = files
        self.observer = observer
        self.start = start
    }

    /// The machine: `CLOCK_BOOTTIME`, the kernel's randomness, the file system, the global executor.
    public static let system = PluginContext(
        clock: SystemClock(), random: SystemRandom.bytes, files: SystemFiles(),
        start: { _, work in Task.detached { await work() } })

    /// `count` random bytes as lower-case hexadecimal text.
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
