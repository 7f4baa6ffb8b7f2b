import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension [UInt8] {
    /// Whether both are one array in memory, and so equal without a comparison.
    func isSameArray(as other: [UInt8]) -> Bool {
        withUnsafeBufferPointer { own in
            other.withUnsafeBufferPointer { $0.baseAddress == own.baseAddress && $0.count == own.count }
        }
    }

    /// Whether the bytes are equal, compared by the C library because it takes many at a time.
    func isSame(as other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBytes { own in
            other.withUnsafeBytes { other in
                guard let first = own.baseAddress, let second = other.baseAddress else { return true }
                return memcmp(first, second, own.count) == 0
            }
        }
    }
}

/// Overwrites secret bytes, because arrays do not clear themselves when they are freed.
enum Wiping {
    /// Overwrites `bytes` in place and empties them. A copy that other code still shares stays.
    static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { SecretMemory.wipe($0) }
        bytes = []
    }

    /// Passes the bytes of `secret` to a closure as an array, and overwrites that array afterwards.
    static func lending<Value, Failure: Error>(
        _ secret: Secret, _ body: ([UInt8]) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var bytes = secret.reveal()
        defer { wipe(&bytes) }
        return try body(bytes)
    }
}
