import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A process of this machine: boot, number and start, which no other process has, and the program that it runs now.
///
/// Only Linux tells, in `/proc`.
struct SeenProcess: Hashable {
    private let boot: String
    /// Its number.
    let number: pid_t
    private let start: String
    /// The number of the process that started it, or has taken it over.
    let parent: pid_t
    /// The program's path.
    let program: String

    /// Asks the system; `nil` if it does not say.
    init?(_ number: pid_t, boot: String) {
        guard let bytes = try? SystemFiles().read("/proc/\(number)/stat", limit: 4_096),
            let program = Self.target("/proc/\(number)/exe")
        else { return nil }
        // The second field is the program's name, which may have any character (proc(5)).
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 19, let parent = pid_t(fields[1]) else { return nil }
        (self.boot, self.number, self.parent) = (boot, number, parent)
        (start, self.program) = (String(fields[19]), program)
    }

    /// The process that started this one; `nil` if the system does not say.
    static func parent(boot: String) -> SeenProcess? { SeenProcess(getppid(), boot: boot) }

    /// The words that it was started with, as it shows them; empty if the system does not say.
    var words: [String] {
        guard let bytes = try? SystemFiles().read("/proc/\(number)/cmdline", limit: 1 << 20) else { return [] }
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Where a symbolic link leads.
    private static func target(_ link: String) -> String? {
        var path = [CChar](repeating: 0, count: 4_096)
        let size = readlink(link, &path, path.count)
        return size > 0 ? String(decoding: path[..<size].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
}

extension SeenProcess: CustomStringConvertible {
    var description: String { "\(boot) \(number) \(start) \(program)" }
}
