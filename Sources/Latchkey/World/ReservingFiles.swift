/// A disk that can set room aside for what is written later.
public protocol ReservingFiles: FileAccess {
    /// Creates a new file with mode 0600 that has room for `bytes` bytes. Later writes of as many into it do not fail for
    /// want of space, as far as the file system can promise that. After a failure nothing is left at `path`.
    ///
    /// - Throws: ``FileError``; `exists` if something is there, `full` if there is no room.
    func reserve(_ path: String, bytes: Int) throws

    /// Writes `bytes` into the regular file that ``reserve(_:bytes:)`` has made, in place of all that it holds, and
    /// flushes them.
    ///
    /// - Throws: ``FileError``; `missing` if nothing is there. The file may hold anything then.
    func fill(_ path: String, _ bytes: [UInt8]) throws
}
