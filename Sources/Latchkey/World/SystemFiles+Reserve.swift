#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension SystemFiles: ReservingFiles {
    /// Writes zeros: only blocks that are written belong to the file on every file system. Where the file system can
    /// allocate, they are allocated first, so that it need not find others when they are written over.
    public func reserve(_ path: String, bytes: Int) throws {
        let (file, status) = try Descriptor.file(
            path, in: try base(of: path), O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        do {
            guard status.st_mode & 0o7777 == 0o600 || fchmod(file.number, 0o600) == 0 else { throw FileError.last() }
            #if canImport(Glibc) || canImport(Musl)
                // It allocates, or fails at once if there is no room. What it does not know is for the zeros.
                if posix_fallocate(file.number, 0, off_t(bytes)) == ENOSPC { throw FileError.full }
            #endif
            try file.write([UInt8](repeating: 0, count: bytes))
            try file.flush()
        } catch {
            try? remove(path)
            throw error
        }
    }

    /// Writes over what is there, and cuts the rest off.
    public func fill(_ path: String, _ bytes: [UInt8]) throws {
        let (file, _) = try Descriptor.file(path, in: try base(of: path), O_WRONLY | O_NONBLOCK)
        try file.write(bytes)
        guard ftruncate(file.number, off_t(bytes.count)) == 0 else { throw FileError.last() }
        try file.flush()
    }
}
