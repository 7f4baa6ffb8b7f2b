#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Checks whether files are private to this user.
enum OwnFiles {
    /// Returns the first thing in `folder` or below that other users may read or change; `nil` if
    /// there is none. Files that disappear during the check are skipped.
    static func fault(in folder: String) -> String? {
        var status = stat()
        guard lstat(folder, &status) == 0 else { return nil }
        let name = folder.split(separator: "/").last ?? ""
        let mode = status.st_mode & 0o7777
        switch status.st_mode & S_IFMT {
        case S_IFLNK: return "\(name) is a link"
        case S_IFDIR where mode & 0o077 != 0: return "the folder \(name) has mode \(String(mode, radix: 8)), not 700"
        case _ where mode & 0o077 != 0: return "the file \(name) has mode \(String(mode, radix: 8)), not 600"
        case _ where status.st_uid != geteuid(): return "\(name) is another user's"
        case S_IFDIR: break
        default: return nil
        }
        guard let stream = opendir(folder) else { return "the folder \(name) cannot be opened" }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted().lazy.compactMap { fault(in: "\(folder)/\($0)") }.first
    }
}
