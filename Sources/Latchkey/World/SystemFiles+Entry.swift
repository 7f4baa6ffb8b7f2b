#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension SystemFiles {
    #if os(Linux)
        /// `O_PATH`, which the C library declares as an extension only. It needs no permission to read.
        private static let locationOnly: Int32 = 0o10000000

        /// Opens what is at `path`, and asks the opened file what it is, so that nothing can change in between.
        public func entry(_ path: String) throws -> FileEntry? {
            let base = try base(of: path)
            // Tries a directory first, so that the kernel mounts what it mounts on demand.
            var number = openat(base, path, Self.locationOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if number < 0, errno == ENOTDIR { number = openat(base, path, Self.locationOnly | O_NOFOLLOW | O_CLOEXEC) }
            guard number >= 0 else {
                if errno == ENOENT || errno == ENOTDIR { return nil }
                throw FileError.last()
            }
            let opened = try Descriptor(number)
            let found = seen(try opened.status(), at: path)
            switch found.kind {
            case .directory: return .directory(opening(opened, at: path), found)
            case .link: return .link(to: try Self.target(of: "", in: opened.number), found)
            default: return .other(found)
            }
        }
    #else
        /// Looks at what is at `path`. If it is a directory, opens it and asks the opened directory what it is.
        public func entry(_ path: String) throws -> FileEntry? {
            let base = try base(of: path)
            guard let found = try status(path) else { return nil }
            switch found.kind {
            case .directory:
                let opened = try Descriptor(openat(base, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
                return .directory(opening(opened, at: path), seen(try opened.status(), at: path))
            case .link: return .link(to: try Self.target(of: path, in: base), found)
            default: return .other(found)
            }
        }
    #endif

    /// Returns the target of a link; with an empty path, that of the opened link itself.
    private static func target(of path: String, in base: Int32) throws -> String {
        let limit = Int(PATH_MAX)
        var target = [CChar](repeating: 0, count: limit)
        let length = readlinkat(base, path, &target, limit)
        guard length >= 0 else { throw FileError.last() }
        // The kernel truncates what does not fit.
        guard length < limit, let text = String(validating: target[..<length], as: UTF8.self) else {
            throw FileError.unexpectedKind
        }
        return text
    }
}

extension FileStatus {
    /// What `stat` says.
    init(_ found: stat) {
        let kind: FileStatus.Kind =
            switch found.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .link
            default: .other
            }
        self.init(
            kind: kind, mode: UInt32(found.st_mode & 0o7777), owner: found.st_uid, isOwn: found.st_uid == geteuid(),
            links: Int(found.st_nlink))
        device = UInt64(truncatingIfNeeded: found.st_dev)
    }
}
