import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The process that started this one.
enum ParentProcess {
    /// Its number, when it started, and which program it runs, which together no other one of this boot has; `nil` if
    /// the system does not say. A process may run one program after another.
    static var identity: String? {
        let place = "/proc/\(getppid())"
        guard let bytes = try? SystemFiles().read("\(place)/stat", limit: 4_096), let program = target("\(place)/exe")
        else { return nil }
        // The second field is the program's name, which may have any character (proc(5)).
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 19 ? "\(place) \(fields[19]) \(program)" : nil
    }

    /// Where a symbolic link leads.
    private static func target(_ link: String) -> String? {
        var path = [CChar](repeating: 0, count: 4_096)
        let size = readlink(link, &path, path.count)
        return size > 0 ? String(decoding: path[..<size].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
}
