import LatchkeySystem

/// Random-looking bytes that are the same for the same seed. Safe to share. Never use them for keys.
public final class SeededRandom: Sendable, RandomNumberGenerator {
    private let state: Locked<SplitMix>

    /// Creates the sequence of `seed`.
    public init(seed: UInt64) { state = Locked(SplitMix(seed: seed)) }

    /// Returns the next eight bytes.
    public func next() -> UInt64 { state.withLock { $0.next() } }

    /// Returns the next `count` bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            withUnsafeBytes(of: next().littleEndian) { bytes += $0.prefix(count - bytes.count) }
        }
        return bytes
    }
}
