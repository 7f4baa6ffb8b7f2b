import Latchkey

/// Removes a directory with all that is in it. Follows no symbolic link.
enum DirectoryRemoval {
    /// Removes the directory `name` of an opened one. Succeeds if it is absent.
    static func remove(_ name: String, in files: any FileAccess) throws {
        switch try files.entry(name) {
        case .directory(let inner, _):
            for entry in try inner.list(".") { try remove(entry, in: inner) }
            try files.removeDirectory(name)
        case .link, .other: try files.remove(name)
        case nil: break
        }
    }
}
