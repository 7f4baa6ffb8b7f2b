/// Numbers that are the same for the same seed (SplitMix64: Steele, Lea, Flood 2014). Never use them for keys.
public struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates the sequence of `seed`.
    public init(seed: UInt64) { state = seed }

    /// Returns the next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns `true` with this chance, in thousandths.
    public mutating func happens(_ thousandths: Int) -> Bool { Int(next() % 1_000) < thousandths }

    /// Returns a number from 0 up to, but not including, `limit`.
    public mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
