import Latchkey

/// The real disk; every change of it is a step, and a file's write is two.
struct CrashingFiles: FileAccess {
    let doom: Doom
    private let real: any FileAccess

    init(_ doom: Doom, _ real: any FileAccess = SystemFiles()) { (self.doom, self.real) = (doom, real) }

    func status(_ path: String) throws -> FileStatus? { try real.status(path) }

    func entry(_ path: String) throws -> FileEntry? { try real.entry(path)?.withFiles { CrashingFiles(doom, $0) } }

    func read(_ path: String, limit: Int, if judge: (FileStatus) throws -> Void) throws -> [UInt8]? {
        try real.read(path, limit: limit, if: judge)
    }

    func list(_ directory: String) throws -> [String] { try real.list(directory) }

    func makeDirectory(_ path: String) throws {
        doom.step("before making a directory")
        try real.makeDirectory(path)
    }

    func writeNew(_ path: String, _ bytes: [UInt8]) throws {
        doom.step("before writing \(kind(path))")
        doom.step("while writing \(kind(path))") { try? real.writeNew(path, Array(bytes.prefix(bytes.count / 2))) }
        try real.writeNew(path, bytes)
    }

    func setMode(_ path: String, _ mode: UInt32) throws {
        doom.step("before setting the mode of \(kind(path))")
        try real.setMode(path, mode)
    }

    func rename(_ source: String, to target: String) throws {
        doom.step("before renaming \(kind(target))")
        try real.rename(source, to: target)
    }

    func syncDirectory(_ path: String) throws {
        doom.step("before flushing the directory")
        try real.syncDirectory(path)
    }

    func remove(_ path: String) throws {
        doom.step("before removing \(kind(path))")
        try real.remove(path)
    }

    func removeDirectory(_ path: String) throws {
        doom.step("before removing a directory")
        try real.removeDirectory(path)
    }

    func lock(_ path: String, sharing: Bool) throws -> (any FileLock)? {
        doom.step("before locking \(kind(path))")
        return try real.lock(path, sharing: sharing).map { CrashingLock(doom: doom, real: $0, name: kind(path)) }
    }

    /// What a file is, without the name that changes each time.
    private func kind(_ path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        if name == "." { return "the directory" }
        if name.hasSuffix(".lane") { return "the lane" }
        if name.hasSuffix(".lock") { return "the store" }
        return "the \(name.drop { $0 == "." }.prefix { $0 != "-" })"
    }
}

private struct CrashingLock: FileLock {
    let doom: Doom
    let real: any FileLock
    let name: String

    func release() {
        doom.step("before unlocking \(name)")
        real.release()
    }

    func note(_ text: String) { real.note(text) }

    var isInPlace: Bool { real.isInPlace }
}
