import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A folder on the real disk that is there for as long as a closure runs.
///
/// ```swift
/// try await TemporaryFolder.with { folder in
///     let store = try SQLiteStore(at: folder["sessions.db"])
/// }
/// ```
///
/// It belongs to this user alone (mode 0700), lies in `TMPDIR`, or in `/tmp`, and its path has no symbolic link in it, so that
/// ``/Latchkey/TrustedDirectory`` takes it. Other processes may use it.
public struct TemporaryFolder: Sendable {
    /// Where it is: an absolute path without a slash at the end.
    public let path: String

    /// The path of something in it.
    public subscript(name: String) -> String { "\(path)/\(name)" }

    /// Makes a folder, runs `work`, and removes the folder with all that is in it, also after an error.
    ///
    /// What a symbolic link in it leads to stays. What cannot be removed stays too, in silence: the error of `work` says more.
    ///
    /// - Parameter parent: Where it is made; `nil`: in `TMPDIR`, or in `/tmp`.
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
        // Made by its real name, for stores refuse links of others on the way.
        guard let real = realpath(parent, nil) else { throw Self.failure }
        defer { free(real) }
        // The C library puts a name that nobody has in place of the six letters, and makes the folder with mode 0700.
        var template = Array("\(String(cString: real))/latchkey-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Self.failure }
        path = String(cString: made)
    }
}

extension TemporaryFolder {
    /// Removes what is at `path`, and in it, as far as that goes.
    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        // A test may have locked it.
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
