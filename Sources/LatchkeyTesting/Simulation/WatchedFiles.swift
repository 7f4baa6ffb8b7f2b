import Latchkey

/// A simulated process's view of the disk that also reports what other processes do to a directory.
@available(macOS 15, iOS 18, *)
struct WatchedFiles: WatchingFiles, ForwardingFiles {
    let files: SimulatedFiles

    var inner: any FileAccess { files }

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
}
