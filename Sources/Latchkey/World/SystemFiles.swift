#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The real disk. No call follows a link in the last component of its path.
public struct SystemFiles: FileAccess {
    /// The directory that names are looked up in; `nil` means that paths are absolute.
    private let directory: Descriptor?
    /// Where the directory was found.
    private let place: String

    /// The directory that is accepted as it is, with what is in it; `nil` for none.
    private let accepted: String?

    /// Creates access to the real disk.
    public init() { (directory, place, accepted) = (nil, "", nil) }

    /// Creates access to the real disk, on which one directory and what is in it count as private, although their modes
    /// let others in. For places that cannot be closed: a container's volume, a drive of Windows in WSL.
    ///
    /// Only the modes are accepted. Another user's directories and files are refused there too, and the directories above
    /// it are judged as always. Every user with access to the directory can read, replace and remove what is kept in it.
    ///
    /// - Parameter directory: The absolute path, without links and without `..`, as an error names it. The root, and any
    ///   other text, accept nothing.
    public init(unsafelyAccepting directory: String) {
        let parts = directory.split(separator: "/").filter { $0 != "." }
        let isPath = directory.utf8.first == UInt8(ascii: "/") && !parts.isEmpty && !parts.contains("..")
        (self.directory, place, accepted) = (nil, "", isPath ? "/" + parts.joined(separator: "/") : nil)
    }

    private init(_ outer: SystemFiles, in directory: Descriptor, at place: String) {
        (self.directory, self.place, accepted) = (directory, place, outer.accepted)
    }

    /// Returns the files of a directory that was opened at `path`.
    func opening(_ directory: Descriptor, at path: String) -> SystemFiles {
        SystemFiles(self, in: directory, at: absolute(path))
    }

    /// Returns the status of what was found at `path`.
    func seen(_ found: stat, at path: String) -> FileStatus {
        var status = FileStatus(found)
        status.isAccepted = isAccepted(path)
        return status
    }

    private func isAccepted(_ path: String) -> Bool {
        // A path from the root may lead through links. Only a directory that was reached step by step is where it says.
        guard let accepted, directory != nil else { return false }
        let place = absolute(path)
        return place == accepted || place.hasPrefix(accepted + "/")
    }

    /// Sets the mode of an open file. A place that is accepted because it cannot be closed may refuse that (`EPERM`, as on a
    /// drive of Windows): the mode then stays as it is.
    private func setMode(_ mode: UInt32, of file: Descriptor, at path: String) throws {
        guard fchmod(file.number, mode_t(mode)) == 0 || (errno == EPERM && isAccepted(path)) else {
            throw FileError.last()
        }
    }

    /// Returns the directory that system calls start from.
    ///
    /// - Throws: ``FileError/unexpectedKind`` for a path that would lead out of an opened directory.
    func base(of path: String) throws -> Int32 {
        guard let directory else { return AT_FDCWD }
        guard !path.isEmpty, path != "..", !path.utf8.contains(UInt8(ascii: "/")) else {
            throw FileError.unexpectedKind
        }
        return directory.number
    }

    /// Returns `path` from the root.
    func absolute(_ path: String) -> String {
        if directory == nil { return path }
        if path == "." { return place }
        return place == "/" ? "/\(path)" : "\(place)/\(path)"
    }

    /// Returns what is at `path`, by `fstatat`.
    public func status(_ path: String) throws -> FileStatus? {
        let base = try base(of: path)
        var found = stat()
        // The kernel first finds the file by name and then looks at it. A file that is replaced
        // between the two has no name left, so the replacement is looked at instead.
        var looks = 0
        repeat {
            guard fstatat(base, path, &found, AT_SYMLINK_NOFOLLOW) == 0 else {
                if errno == ENOENT || errno == ENOTDIR { return nil }
                throw FileError.last()
            }
            looks += 1
        } while found.st_nlink == 0 && looks < Self.mostLooks
        return seen(found, at: path)
    }

    /// Each look may meet another replacement, but this many in a row do not happen.
    static let mostLooks = 1_000

    /// Creates the directory and its missing parents, each with mode 0700 whatever the umask.
    public func makeDirectory(_ path: String) throws {
        let base = try base(of: path)
        if Self.create(path, in: base) { return }
        switch errno {
        case EEXIST:
            guard try status(path)?.kind == .directory else { throw FileError.unexpectedKind }
        case ENOENT:
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else {
                throw FileError.missing
            }
            let parent = String(path[..<slash])
            try makeDirectory(parent)
            guard Self.create(path, in: base) || errno == EEXIST else { throw FileError.last() }
        default:
            throw FileError.last()
        }
    }

    /// Creates one directory that its owner can use; if it returns `false`, `errno` says why.
    private static func create(_ path: String, in base: Int32) -> Bool {
        guard mkdirat(base, path, 0o700) == 0 else { return false }
        var found = stat()
        // The umask may have taken the owner's bits too.
        if fstatat(base, path, &found, AT_SYMLINK_NOFOLLOW) == 0, found.st_mode & S_IFMT == S_IFDIR,
            found.st_uid == geteuid(), found.st_mode & 0o700 != 0o700
        {
            _ = fchmodat(base, path, 0o700, 0)
        }
        return true
    }

    /// Reads the whole file.
    public func read(_ path: String, limit: Int, if judge: (FileStatus) throws -> Void) throws -> [UInt8]? {
        guard let (file, status) = try existingFile(path) else { return nil }
        try judge(seen(status, at: path))
        var bytes: [UInt8] = []
        // As much as there is (0 if the kernel generates the content), and one byte more to see the
        // end. Bytes added meanwhile are read too.
        var size = min(max(0, Int(status.st_size)), 1 << 20) + 1
        while true {
            let chunk = try file.read(size)
            // A read that returns less than there is says only that the kernel returned a part.
            if bytes.isEmpty, chunk.count < size, chunk.count >= status.st_size, chunk.count <= limit { return chunk }
            if chunk.isEmpty { return bytes }
            size = 65_536
            bytes += chunk
            if bytes.count > limit { throw FileError.tooLarge }
        }
    }

    /// Returns the file at `path`, opened for reading; `nil` if nothing is there.
    private func existingFile(_ path: String) throws -> (Descriptor, status: stat)? {
        let base = try base(of: path)
        var looks = 0
        while true {
            do {
                let found = try Descriptor.file(path, in: base, O_RDONLY | O_NONBLOCK)
                looks += 1
                // Another file was renamed over it after it was opened; read that one.
                if found.status.st_nlink > 0 || looks >= Self.mostLooks { return found }
            } catch FileError.missing {
                return nil
            }
        }
    }

    /// Writes a new file: `O_EXCL`, 0600, every byte, `fsync`. Removes it again if that fails.
    public func writeNew(_ path: String, _ bytes: [UInt8]) throws {
        let (file, status) = try Descriptor.file(
            path, in: try base(of: path), O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        do {
            // The umask can only have removed bits from the mode.
            if status.st_mode & 0o7777 != 0o600 { try setMode(0o600, of: file, at: path) }
            try file.write(bytes)
            try file.flush()
        } catch {
            try? remove(path)
            throw error
        }
    }

    /// Sets the permission bits of a regular file that this user owns, by `fchmod`.
    public func setMode(_ path: String, _ mode: UInt32) throws {
        let base = try base(of: path)
        let file =
            try status(path)?.kind == .directory
            ? try Descriptor(openDirectory: path, in: base)
            : try Descriptor.file(path, in: base, O_RDONLY | O_NONBLOCK).0
        try setMode(mode, of: file, at: path)
    }

    /// Renames within the file system, atomically.
    public func rename(_ source: String, to target: String) throws {
        guard renameat(try base(of: source), source, try base(of: target), target) == 0 else { throw FileError.last() }
    }

    /// Flushes the directory, where its file system can.
    public func syncDirectory(_ path: String) throws {
        try Descriptor(openDirectory: path, in: try base(of: path)).flushDirectory()
    }

    /// Unlinks the file.
    public func remove(_ path: String) throws {
        guard unlinkat(try base(of: path), path, 0) == 0 || errno == ENOENT else { throw FileError.last() }
    }

    /// Removes the empty directory.
    public func removeDirectory(_ path: String) throws {
        guard unlinkat(try base(of: path), path, AT_REMOVEDIR) == 0 || errno == ENOENT else { throw FileError.last() }
    }

    /// Returns the names in the directory, without `.` and `..`.
    public func list(_ directory: String) throws -> [String] {
        let number = openat(try base(of: directory), directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else {
            if errno == ENOENT { return [] }
            throw FileError.last()
        }
        guard let stream = fdopendir(number) else {
            defer { close(number) }
            throw FileError.last()
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Takes the lock with `flock`. The kernel releases it when the process dies. It is exclusive
    /// per opening, so two clients in one process exclude each other too.
    public func lock(_ path: String, sharing: Bool) throws -> (any FileLock)? {
        let place = absolute(path)
        // The file may be removed by hand between opening and locking; a lock on it would then exclude nobody.
        for _ in 0..<100 {
            let file = try lockFile(path)
            guard try lock(file, sharing: sharing) else { return nil }
            if file.isAt(place) { return HeldFileLock(file, at: place) }
        }
        throw FileError.missing
    }

    private func lockFile(_ path: String) throws -> Descriptor {
        let base = try base(of: path)
        do {
            let (file, status) = try Descriptor.file(path, in: base, O_RDWR | O_CREAT, mode: 0o600)
            // The umask may have taken the owner's bits, and without them it could not be opened a second time.
            if status.st_uid == geteuid(), status.st_mode & 0o600 != 0o600 { _ = fchmod(file.number, 0o600) }
            return file
        } catch FileError.unexpectedKind {
            guard try status(path)?.kind == .directory else { throw FileError.unexpectedKind }
            return try Descriptor(openDirectory: path, in: base)
        }
    }

    private func lock(_ file: Descriptor, sharing: Bool) throws -> Bool {
        while flock(file.number, (sharing ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return false
            default: throw FileError.lastOfLock()
            }
        }
        return true
    }
}
