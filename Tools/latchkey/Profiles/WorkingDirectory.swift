#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The directory in which the program was started.
enum WorkingDirectory {
    /// The absolute path; `nil` if it is gone or longer than 4096 bytes.
    static var path: String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
            let found = buffer.withMemoryRebound(to: CChar.self) { getcwd($0.baseAddress, $0.count) }
            count = found == nil ? 0 : buffer.firstIndex(of: 0) ?? 0
        }
        return bytes.first == UInt8(ascii: "/") ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
