#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension FileError {
    /// Returns the system's words for an `errno`, as the end of a sentence.
    package static func words(_ number: Int32) -> String {
        let words = String(cString: strerror(number))
        // A word such as "RPC" keeps its capitals.
        if words.prefix(2).allSatisfy(\.isUppercase) { return words }
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}
