/// A disk that can write behind what a file already holds, for logs.
///
/// A store does not need it: a record is replaced as a whole.
public protocol AppendingFiles: FileAccess {
    /// Writes `bytes` at `offset` of an existing regular file and flushes them. What was at `offset` and behind it is
    /// cut off first, so that half a line of a dead writer goes.
    ///
    /// When it returns, the bytes are on the disk. When it throws, the file ends at `offset`, as far as the disk
    /// allows; when the process dies, it may end anywhere in `bytes`.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - offset: At most the size of the file; more is ``FileError/failed(_:)``.
    ///   - bytes: What to write.
    ///   - judge: Receives the opened file's status before anything is changed. What it throws is thrown.
    /// - Throws: ``FileError``; `missing` if nothing is there.
    func append(
        _ path: String, at offset: Int, _ bytes: [UInt8], if judge: (FileStatus) throws -> Void) throws
}
