/// A file that somebody else may manage: the links to it are followed, if only root and this user could change any of
/// them or a directory on the way.
///
/// So a secret that Kubernetes mounts (`..data/secret`), and a profile that is a link into a package store or a folder of
/// dotfiles, are read where they are.
package struct TrustedFile: Sendable {
    /// The same limit as the kernel's (path_resolution(7)).
    private static let mostLinks = 40

    /// The directory that holds the file itself.
    package let directory: TrustedDirectory
    /// The file's name in it.
    package let name: String
    /// What is there, seen without opening it; `nil` if nothing is.
    package let status: FileStatus?
    /// Whether a link led here.
    package let isLinked: Bool

    /// The file's path, with all links resolved.
    package var path: String { directory.path == "/" ? "/\(name)" : "\(directory.path)/\(name)" }

    /// Finds the file that `path`, an absolute path, leads to. Returns `nil` if its directory is absent.
    ///
    /// - Throws: ``AuthError`` `store(.insecurePermissions)` if somebody else could change the way to it.
    package static func find(_ path: String, in files: any FileAccess) throws -> TrustedFile? {
        var path = path
        for links in 0...mostLinks {
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
            let name = String(path[slash...].dropFirst())
            guard !name.isEmpty, name != ".", name != ".." else { throw FileError.unexpectedKind }
            let parent = String(path[..<slash])
            guard let place = try TrustedDirectory.open(parent.isEmpty ? "/" : parent, .sound, in: files) else {
                return nil
            }
            let status: FileStatus?
            switch try place.files.entry(name) {
            case .link(let target, let found):
                guard found.isOwn || found.owner == 0 else {
                    throw AuthError(
                        .store(.insecurePermissions), "\(path) is a link of another user (\(found.owner))")
                }
                path = target.utf8.first == UInt8(ascii: "/") ? target : "\(place.path)/\(target)"
                continue
            case .directory(_, let found), .other(let found): status = found
            case nil: status = nil
            }
            return TrustedFile(directory: place, name: name, status: status, isLinked: links > 0)
        }
        throw AuthError(.store(.unavailable), "\(path) leads through too many links")
    }

    /// Reads the file, if it belongs to root or this user and no other user may change it.
    ///
    /// - Parameters:
    ///   - limit: The most bytes to read.
    ///   - refusal: The error for a file that is not so.
    ///   - isSetting: Whether it holds settings and no secret. Where no other user can enter, none can open it, and its
    ///     mode does not matter.
    ///   - judge: Receives the opened file's status before any content is read.
    package func read(
        limit: Int, else refusal: any Error, isSetting: Bool = false, if judge: (FileStatus) throws -> Void = { _ in }
    ) throws -> [UInt8]? {
        try directory.files.read(name, limit: limit) { found in
            guard found.isOwn || found.owner == 0,
                found.mode & 0o022 == 0 || found.isAccepted || (isSetting && directory.isEnclosed)
            else { throw refusal }
            try judge(found)
        }
    }
}
