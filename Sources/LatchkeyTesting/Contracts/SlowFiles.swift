import Latchkey
import LatchkeyLocked

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The same disk, a millisecond later at each call; and who reads first waits until the others read too. So what is read,
/// and written later without a lock, meets what others do in between, at every run and not once in a thousand.
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

    /// After the call as well as before: what it brought is a millisecond old.
    private func slowly<Value>(_ call: () throws -> Value) rethrows -> Value {
        defer { usleep(500) }
        usleep(500)
        return try call()
    }
}

/// Where several meet who read, each on a thread of its own.
final class Meeting: Sendable {
    private let state = Locked((expected: 0, here: 0))

    /// From now on, so many are awaited.
    func expect(_ count: Int) { state.withLock { $0 = (count, 0) } }

    /// Holds up the thread until all are here. Where the first has locked the others out they cannot come, and it goes on
    /// after a fifth of a second, as does everybody after it.
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
    /// The same on a slow disk.
    func onSlowDisk(_ meeting: Meeting = Meeting()) -> PluginContext {
        var context = self
        context.files = SlowFiles(files, meeting)
        return context
    }
}
