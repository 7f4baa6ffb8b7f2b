#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Which process this is, for messages.
enum ProcessIdentity {
    static let number = Int(getpid())
}
