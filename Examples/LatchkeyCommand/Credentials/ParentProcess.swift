import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The process that started this one: boot, number and start, which no other process has, and the program that it runs
/// now.
struct ParentProcess {
    private let boot: String
    private let number: pid_t
    private let start: String
    /// The program's path.
    let program: String

    /// Asks the system; `nil` if it does not say.
    init?(boot: String) {
        let number = getppid()
        guard let bytes = try? SystemFiles().read("/proc/\(number)/stat", limit: 4_096),
            let program = Self.target("/proc/\(number)/exe")
        else { return nil }
        // The second field is the program's name, which may have any character (proc(5)).
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 19 else { return nil }
        (self.boot, self.number, start, self.program) = (boot, number, String(fields[19]), program)
    }

    /// Where a symbolic link leads.
    private static func target(_ link: String) -> String? {
        var path = [CChar](repeating: 0, count: 4_096)
        let size = readlink(link, &path, path.count)
        return size > 0 ? String(decoding: path[..<size].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
}

extension ParentProcess: CustomStringConvertible {
    var description: String { "\(boot) \(number) \(start) \(program)" }
}
