#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension SystemFiles: AppendingFiles {
    /// Cuts the file, writes behind it and flushes, all through one descriptor.
    public func append(
        _ path: String, at offset: Int, _ bytes: [UInt8], if judge: (FileStatus) throws -> Void
    ) throws {
        let (file, status) = try Descriptor.file(path, in: try base(of: path), O_WRONLY | O_NONBLOCK)
        try judge(seen(status, at: path))
        guard offset >= 0, Int(status.st_size) >= offset else { throw FileError.failed(EINVAL) }
        if Int(status.st_size) > offset {
            guard ftruncate(file.number, off_t(offset)) == 0 else { throw FileError.last() }
        }
        guard lseek(file.number, off_t(offset), SEEK_SET) == off_t(offset) else { throw FileError.last() }
        do {
            try file.write(bytes)
            try file.flush()
        } catch {
            // What was not flushed may be lost later, so nobody may take it as written.
            _ = ftruncate(file.number, off_t(offset))
            throw error
        }
    }
}
