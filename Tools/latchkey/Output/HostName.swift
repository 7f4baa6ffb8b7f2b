import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The name of this machine.
enum HostName {
    /// The first part of the name; `nil` if the machine has none that can be shown.
    static var current: String? {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
        let name = bytes.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: ".")) }.prefix(40).map { UInt8(bitPattern: $0) }
        let isPlain = name.allSatisfy { (0x21...0x7E).contains($0) }
        return isPlain && !name.isEmpty ? String(decoding: name, as: UTF8.self) : nil
    }
}
