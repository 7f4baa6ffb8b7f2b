#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The identity of this process, for messages.
enum ProcessIdentity {
    static let number = Int(getpid())
}
