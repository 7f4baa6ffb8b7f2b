import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Overwrites what was secret. Arrays do not clear themselves when they are let go.
enum Wiping {
    /// Overwrites `bytes` in place and empties them. A copy that somebody else still shares stays.
    static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { memory in
            guard let start = memory.baseAddress else { return }
            #if canImport(Darwin)
                _ = memset_s(start, memory.count, 0, memory.count)
            #else
                explicit_bzero(start, memory.count)
            #endif
        }
        bytes = []
    }

    /// Lends the bytes of `secret` as an array that is overwritten afterwards.
    static func lending<Value, Failure: Error>(
        _ secret: Secret, _ body: ([UInt8]) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var bytes = secret.reveal()
        defer { wipe(&bytes) }
        return try body(bytes)
    }
}
