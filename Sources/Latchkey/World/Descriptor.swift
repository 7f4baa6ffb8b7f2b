import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An open file, closed when its last reference is released.
final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) throws {
        guard number >= 0 else { throw FileError.last() }
        self.number = number
    }

    /// Returns whether this very file is at `path`.
    func isAt(_ path: String) -> Bool {
        var (own, found) = (stat(), stat())
        guard fstat(number, &own) == 0, lstat(path, &found) == 0 else { return false }
        return own.st_ino == found.st_ino && own.st_dev == found.st_dev
    }

    /// Opens a directory to list, flush and lock it. `path` is absolute or a name in the directory `base`.
    convenience init(openDirectory path: String, in base: Int32) throws {
        try self.init(openat(base, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    }

    /// Returns what the file is.
    func status() throws -> stat {
        var found = stat()
        guard fstat(number, &found) == 0 else { throw FileError.last() }
        return found
    }

    deinit { close(number) }

    func read(_ count: Int) throws -> [UInt8] {
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            while true {
                let got = systemRead(number, buffer.baseAddress, count)
                if got >= 0 {
                    used = got
                    return
                }
                if errno != EINTR {
                    failure = .last()
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Returns the first bytes of the file, independent of earlier reads and writes.
    func content(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            used = max(0, pread(number, buffer.baseAddress, count, 0))
        }
    }

    func write(_ bytes: [UInt8]) throws {
        var done = 0
        while done < bytes.count {
            let put = bytes.withUnsafeBytes {
                systemWrite(number, $0.baseAddress?.advanced(by: done), bytes.count - done)
            }
            if put < 0 {
                if errno == EINTR { continue }
                throw FileError.last()
            }
            done += put
        }
    }

    /// Flushes the file. Never repeat it after a failure: the kernel may have dropped the pages it
    /// could not write.
    func flush() throws {
        #if canImport(Darwin)
            if fcntl(number, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(number) == 0 else { throw FileError.last() }
    }

    /// Flushes the directory. Some file systems cannot, such as CIFS, FUSE's and Windows' drives in WSL: they say that this
    /// is nothing to flush (`EINVAL`, POSIX.1-2017, `fsync`), and keep names as well as they do.
    func flushDirectory() throws {
        guard fsync(number) == 0 || [EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno) else {
            throw FileError.last()
        }
    }
}

extension Descriptor {
    /// Opens a regular file, following no link in the last component, and returns its status.
    /// `path` is absolute or a name in the directory `base`.
    static func file(
        _ path: String, in base: Int32, _ flags: Int32, mode: mode_t = 0
    ) throws -> (Descriptor, status: stat) {
        let number = openat(base, path, flags | O_NOFOLLOW | O_CLOEXEC, mode)
        // The file is a socket, which cannot be opened this way.
        if number < 0, errno == ENXIO { throw FileError.unexpectedKind }
        let file = try Descriptor(number)
        let found = try file.status()
        guard found.st_mode & S_IFMT == S_IFREG else { throw FileError.unexpectedKind }
        return (file, found)
    }
}

/// A lock held by `flock` on an open file.
final class HeldFileLock: FileLock {
    private let file: Locked<Descriptor?>
    private let path: String

    init(_ file: Descriptor, at path: String) {
        self.file = Locked(file)
        self.path = path
    }

    var isInPlace: Bool { file.withLock { $0?.isAt(path) ?? false } }

    func release() {
        file.withLock { held in
            if let number = held?.number { flock(number, LOCK_UN) }
            held = nil
        }
    }

    func note(_ text: String) {
        // The same process takes the same lock repeatedly; writing the same note again would cost a flush.
        file.withLock { held in
            guard let held, held.content(64) != Array(text.utf8) else { return }
            ftruncate(held.number, 0)
            lseek(held.number, 0, SEEK_SET)
            try? held.write(Array(text.utf8))
        }
    }
}

extension FileError {
    /// Returns the error that `errno` stands for.
    static func last() -> FileError {
        switch errno {
        case EACCES, EPERM: .denied
        case EROFS: .readOnly
        case ENOSPC, EDQUOT: .full
        case EEXIST, ENOTEMPTY: .exists
        case ENOENT, ENOTDIR: .missing
        case ELOOP, EISDIR: .unexpectedKind
        case ENOLCK: .noLocks
        default: .failed(errno)
        }
    }

    /// The same of a call that locks: what is not supported there is locking.
    static func lastOfLock() -> FileError { [ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno) ? .noLocks : last() }
}

private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, buffer, count)
}

private func systemWrite(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, buffer, count)
}
