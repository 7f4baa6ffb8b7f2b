import Latchkey

/// A simulated process's view of the disk that also reports what other processes do to a directory.
@available(macOS 15, iOS 18, *)
struct WatchedFiles: WatchingFiles {
    let files: SimulatedFiles

    func watch(
        _ directory: String, _ tell: @escaping @Sendable (DirectoryChange) -> Void
    ) throws -> any DirectoryWatch {
        guard files.isAlive else { throw SimulatedDisk.inputOutput }
        let number = files.disk.observe { [files] operation, path in
            guard files.isAlive, operation != .syncDirectory, path.hasPrefix(directory + "/") else { return }
            tell(.name(String(path.dropFirst(directory.count + 1))))
        }
        return Watch(disk: files.disk, number: number)
    }

    private struct Watch: DirectoryWatch {
        let disk: SimulatedDisk
        let number: Int

        func end() { disk.unobserve(number) }
    }

    func status(_ path: String) throws -> FileStatus? { try files.status(path) }
    func entry(_ path: String) throws -> FileEntry? { try files.entry(path) }
    func makeDirectory(_ path: String) throws { try files.makeDirectory(path) }
    func read(_ path: String, limit: Int, if judge: (FileStatus) throws -> Void) throws -> [UInt8]? {
        try files.read(path, limit: limit, if: judge)
    }
    func writeNew(_ path: String, _ bytes: [UInt8]) throws { try files.writeNew(path, bytes) }
    func setMode(_ path: String, _ mode: UInt32) throws { try files.setMode(path, mode) }
    func rename(_ source: String, to target: String) throws { try files.rename(source, to: target) }
    func syncDirectory(_ path: String) throws { try files.syncDirectory(path) }
    func remove(_ path: String) throws { try files.remove(path) }
    func removeDirectory(_ path: String) throws { try files.removeDirectory(path) }
    func list(_ directory: String) throws -> [String] { try files.list(directory) }
    func lock(_ path: String, sharing: Bool) throws -> (any FileLock)? { try files.lock(path, sharing: sharing) }
}
