/// The kernel's randomness.
enum SystemRandom {
    /// Returns `count` random bytes. Traps if the kernel has none, because nothing safe can be done then.
    @Sendable static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var result: [UInt8] = []
        result.reserveCapacity(count)
        while result.count < count {
            withUnsafeBytes(of: generator.next()) { result.append(contentsOf: $0.prefix(count - result.count)) }
        }
        return result
    }
}
