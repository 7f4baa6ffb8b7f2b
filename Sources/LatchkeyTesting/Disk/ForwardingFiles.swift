package import Latchkey

/// Files that pass on to other files each call that they do not answer themselves.
///
/// If what they do is also to hold in the directories that are opened by `entry`, they write `entry` themselves.
package protocol ForwardingFiles: FileAccess {
    /// The files that the calls are passed on to.
    var inner: any FileAccess { get }
}

extension ForwardingFiles {
    package func status(_ path: String) throws -> FileStatus? { try inner.status(path) }
    package func entry(_ path: String) throws -> FileEntry? { try inner.entry(path) }
    package func makeDirectory(_ path: String) throws { try inner.makeDirectory(path) }
    package func read(_ path: String, limit: Int, if judge: (FileStatus) throws -> Void) throws -> [UInt8]? {
        try inner.read(path, limit: limit, if: judge)
    }
    package func writeNew(_ path: String, _ bytes: [UInt8]) throws { try inner.writeNew(path, bytes) }
    package func setMode(_ path: String, _ mode: UInt32) throws { try inner.setMode(path, mode) }
    package func rename(_ source: String, to target: String) throws { try inner.rename(source, to: target) }
    package func syncDirectory(_ path: String) throws { try inner.syncDirectory(path) }
    package func remove(_ path: String) throws { try inner.remove(path) }
    package func removeDirectory(_ path: String) throws { try inner.removeDirectory(path) }
    package func list(_ directory: String) throws -> [String] { try inner.list(directory) }
    package func lock(_ path: String, sharing: Bool) throws -> (any FileLock)? {
        try inner.lock(path, sharing: sharing)
    }
}
