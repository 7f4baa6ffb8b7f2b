import Latchkey

/// The files below a directory.
enum FilesBelow {
    static func list(_ path: String) -> [String] {
        let files = SystemFiles()
        guard let status = try? files.status(path) else { return [] }
        guard status.kind == .directory else { return [path] }
        return ((try? files.list(path)) ?? []).sorted().flatMap { list("\(path)/\($0)") }
    }

    /// What is in all of them.
    static func content(_ path: String) -> String {
        list(path).map { String(decoding: (try? SystemFiles().read($0, limit: 1 << 20)) ?? [], as: UTF8.self) }
            .joined(separator: "\n")
    }
}
