import Latchkey
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Delays every call by a millisecond. A reader waits until the others read too. So a read that is
/// followed by a write without a lock meets other writers at every run, not once in a thousand.
struct SlowFiles: FileAccess {
    private let files: any FileAccess
    private let meeting: Meeting

    init(_ files: any FileAccess, _ meeting: Meeting) {
        self.files = files
        self.meeting = meeting
    }

    func status(_ path: String) throws -> FileStatus? { try slowly { try files.status(path) } }

    func entry(_ path: String) throws -> FileEntry? {
        try slowly { try files.entry(path)?.withFiles { SlowFiles($0, meeting) } }
    }

    func makeDirectory(_ path: String) throws { try slowly { try files.makeDirectory(path) } }

    func read(_ path: String, limit: Int, if judge: (FileStatus) throws -> Void) throws -> [UInt8]? {
        defer { meeting.arrive() }
        return try slowly { try files.read(path, limit: limit, if: judge) }
    }

    func writeNew(_ path: String, _ bytes: [UInt8]) throws { try slowly { try files.writeNew(path, bytes) } }

    func setMode(_ path: String, _ mode: UInt32) throws { try slowly { try files.setMode(path, mode) } }

    func rename(_ source: String, to target: String) throws { try slowly { try files.rename(source, to: target) } }

    func syncDirectory(_ path: String) throws { try slowly { try files.syncDirectory(path) } }

    func remove(_ path: String) throws { try slowly { try files.remove(path) } }

    func removeDirectory(_ path: String) throws { try slowly { try files.removeDirectory(path) } }

    func list(_ directory: String) throws -> [String] { try slowly { try files.list(directory) } }

    func lock(_ path: String, sharing: Bool) throws -> (any FileLock)? {
        try slowly { try files.lock(path, sharing: sharing) }
    }

    /// Waits after the call as well as before, so that the result is a millisecond old.
    private func slowly<Value>(_ call: () throws -> Value) rethrows -> Value {
        defer { usleep(500) }
        usleep(500)
        return try call()
    }
}

/// A meeting point of several readers, each on its own thread.
final class Meeting: Sendable {
    private let state = Locked((expected: 0, here: 0))

    /// Sets the number of readers that are awaited from now on.
    func expect(_ count: Int) { state.withLock { $0 = (count, 0) } }

    /// Blocks the thread until all readers are here. If the first has locked the others out, they
    /// cannot come; it then continues after a fifth of a second, as does every later one.
    func arrive() {
        state.withLock { $0.here += 1 }
        for _ in 1...200 {
            if state.withLock({ $0.here >= $0.expected }) { break }
            usleep(1_000)
        }
        state.withLock { $0.expected = 0 }
    }
}

extension PluginContext {
    /// Returns the same context on a slow disk.
    func onSlowDisk(_ meeting: Meeting = Meeting()) -> PluginContext {
        var context = self
        context.files = SlowFiles(files, meeting)
        return context
    }
}
