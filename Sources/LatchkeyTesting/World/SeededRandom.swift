import LatchkeyLocked

/// Random-looking bytes that are the same for the same seed. Never for keys.
public final class SeededRandom: Sendable, RandomNumberGenerator {
    private let state: Locked<UInt64>

    /// The sequence of `seed`.
    public init(seed: UInt64) { state = Locked(seed) }

    /// The next eight bytes, by SplitMix64 (Steele, Lea, Flood 2014).
    public func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// The next `count` bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            withUnsafeBytes(of: next().littleEndian) { bytes += $0.prefix(count - bytes.count) }
        }
        return bytes
    }
}
