#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The real disk: no call follows a link in the last component of its path.
public struct SystemFiles: FileAccess {
    /// The real disk.
    public init() {}

    /// What is at `path`, by `lstat`.
    public func status(_ path: String) throws -> FileStatus? {
        var found = stat()
        // The kernel finds the file by its name first and looks at it then: a file that is renamed over between the
        // two shows no name at all. What took its place is looked at instead.
        var looks = 0
        repeat {
            guard lstat(path, &found) == 0 else {
                if errno == ENOENT || errno == ENOTDIR { return nil }
                throw FileError.last()
            }
            looks += 1
        } while found.st_nlink == 0 && looks < Self.mostLooks
        let kind: FileStatus.Kind =
            switch found.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .link
            default: .other
            }
        return FileStatus(
            kind: kind, mode: UInt32(found.st_mode & 0o7777), owner: found.st_uid, isOwn: found.st_uid == geteuid(),
            links: Int(found.st_nlink))
    }

    /// Each look may come upon another replacement; so many in a row do not happen.
    private static let mostLooks = 1_000

    /// Makes the directory and its missing parents, each 0700 whatever the umask.
    public func makeDirectory(_ path: String) throws {
        if mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST:
            guard try status(path)?.kind == .directory else { throw FileError.unexpectedKind }
        case ENOENT:
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else {
                throw FileError.missing
            }
            let parent = String(path[..<slash])
            try makeDirectory(parent)
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileError.last() }
        default:
            throw FileError.last()
        }
    }

    /// Reads the file in whole.
    public func read(_ path: String, limit: Int) throws -> [UInt8]? {
        let (file, status): (Descriptor, stat)
        do {
            (file, status) = try Descriptor.file(path, O_RDONLY | O_NONBLOCK)
        } catch FileError.missing {
            return nil
        }
        var bytes: [UInt8] = []
        // As much as there is (0 where the kernel makes it up), and a byte more for the end; whatever is added meanwhile is read as well.
        var size = min(max(0, Int(status.st_size)), 1 << 20) + 1
        while true {
            let chunk = try file.read(size)
            // Less than there is says only that the kernel handed out a part.
            if bytes.isEmpty, chunk.count < size, chunk.count >= status.st_size, chunk.count <= limit { return chunk }
            if chunk.isEmpty { return bytes }
            size = 65_536
            bytes += chunk
            if bytes.count > limit { throw FileError.tooLarge }
        }
    }

    /// Writes a new file: `O_EXCL`, 0600, every byte, `fsync`, and removes it again when that fails.
    public func writeNew(_ path: String, _ bytes: [UInt8]) throws {
        let (file, status) = try Descriptor.file(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        do {
            // The umask can only have taken from the mode.
            guard status.st_mode & 0o7777 == 0o600 || fchmod(file.number, 0o600) == 0 else { throw FileError.last() }
            try file.write(bytes)
            try file.flush()
        } catch {
            try? remove(path)
            throw error
        }
    }

    /// Sets the bits of a regular file that this user owns, by `fchmod`.
    public func setMode(_ path: String, _ mode: UInt32) throws {
        let (file, _) = try Descriptor.file(path, O_RDONLY | O_NONBLOCK)
        guard fchmod(file.number, mode_t(mode)) == 0 else { throw FileError.last() }
    }

    /// Renames within the file system, atomically.
    public func rename(_ source: String, to target: String) throws {
        #if canImport(Darwin)
            let result = Darwin.rename(source, target)
        #elseif canImport(Glibc)
            let result = Glibc.rename(source, target)
        #else
            let result = Musl.rename(source, target)
        #endif
        guard result == 0 else { throw FileError.last() }
    }

    /// Flushes the directory.
    public func syncDirectory(_ path: String) throws {
        try Descriptor(openDirectory: path).flush()
    }

    /// Unlinks the file.
    public func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileError.last() }
    }

    /// The names in the directory, without `.` and `..`.
    public func list(_ directory: String) throws -> [String] {
        guard let stream = opendir(directory) else {
            if errno == ENOENT { return [] }
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

    /// Takes the lock by `flock`: released by the kernel when the process dies, and exclusive per opening, so that
    /// two clients in one process exclude each other too.
    public func lock(_ path: String, sharing: Bool) throws -> (any FileLock)? {
        // The file may be removed by hand between opening and locking; a lock on it would then exclude nobody.
        for _ in 0..<100 {
            let file = try lockFile(path)
            guard try lock(file, sharing: sharing) else { return nil }
            if file.isAt(path) { return HeldLock(file, at: path) }
        }
        throw FileError.missing
    }

    private func lockFile(_ path: String) throws -> Descriptor {
        do {
            return try Descriptor.file(path, O_RDWR | O_CREAT, mode: 0o600).0
        } catch FileError.unexpectedKind {
            guard try status(path)?.kind == .directory else { throw FileError.unexpectedKind }
            return try Descriptor(openDirectory: path)
        }
    }

    private func lock(_ file: Descriptor, sharing: Bool) throws -> Bool {
        while flock(file.number, (sharing ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return false
            default: throw FileError.last()
            }
        }
        return true
    }
}
