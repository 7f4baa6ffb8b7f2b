/// How much of the store visitors who are not signed in may fill.
///
/// Each limit is kept about, not exactly: guests are counted in 64 lists, each with its share of them.
public struct GuestLimits: Hashable, Sendable {
    /// The most guests that have something in the store. Default: 10,000.
    public var number = 10_000
    /// The most bytes that they have there together. Default: 64 MiB.
    public var bytes = 64 << 20
    /// The most guests from one address, as ``WebRequest/address`` says it, or from one IPv6 network of 64 bits.
    /// Default: 1,000.
    public var perAddress = 1_000

    /// Creates the default limits.
    public init() {}
}
