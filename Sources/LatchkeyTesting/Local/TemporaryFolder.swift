import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A folder on the real disk that exists while a closure runs.
///
/// ```swift
/// try await TemporaryFolder.with { folder in
///     let store = try SQLiteStore(at: folder["sessions.db"])
/// }
/// ```
///
/// It belongs to this user alone (mode 0700) and is in `TMPDIR`, or in `/tmp`. Its path contains no
/// symbolic link, so ``/Latchkey/TrustedDirectory`` accepts it. Other processes may use it.
public struct TemporaryFolder: Sendable {
    /// The folder's absolute path, without a slash at the end.
    public let path: String

    /// Returns the path of an entry in the folder.
    public subscript(name: String) -> String { "\(path)/\(name)" }

    /// Creates a folder, runs `work`, and removes the folder with everything in it, even after an error.
    ///
    /// The target of a symbolic link in it stays. What cannot be removed stays too, silently,
    /// because the error of `work` says more.
    ///
    /// - Parameters:
    ///   - parent: Where to create the folder; `nil` means in `TMPDIR`, or in `/tmp`.
    ///   - isolation: Where `work` runs: where the caller does.
    ///   - work: The code that needs the folder.
    /// - Throws: ``/Latchkey/FileError`` if there is no place for it; what `work` throws.
    @discardableResult
    public static func with<Value>(
        in parent: String? = nil, isolation: isolated (any Actor)? = #isolation,
        _ work: (TemporaryFolder) async throws -> Value
    ) async throws -> Value {
        let folder = try TemporaryFolder(in: parent ?? usual)
        defer { Self.remove(folder.path) }
        return try await work(folder)
    }

    private static var usual: String {
        let set = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        return set.isEmpty ? "/tmp" : set
    }

    private static var failure: FileError {
        switch errno {
        case EACCES, EPERM: .denied
        case EROFS: .readOnly
        case ENOSPC, EDQUOT: .full
        case ENOENT: .missing
        case ENOTDIR: .unexpectedKind
        case let other: .failed(other)
        }
    }

    private init(in parent: String) throws {
        // By its real path, because stores refuse links of other users on the way.
        guard let real = realpath(parent, nil) else { throw Self.failure }
        defer { free(real) }
        // The C library replaces the six letters to form an unused name, and creates the folder with mode 0700.
        var template = Array("\(String(cString: real))/latchkey-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Self.failure }
        path = String(cString: made)
    }
}

extension TemporaryFolder {
    /// Removes what is at `path` and everything in it, as far as possible.
    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        // A test may have removed its permissions.
        chmod(path, 0o700)
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    private static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
