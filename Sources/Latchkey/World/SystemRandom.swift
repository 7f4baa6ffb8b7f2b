/// The kernel's randomness.
enum SystemRandom {
    /// `count` random bytes. Traps when the kernel has none: nothing safe can be done then.
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
