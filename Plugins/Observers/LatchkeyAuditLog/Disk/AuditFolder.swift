import Latchkey
import LatchkeyCrypto
import LatchkeyPluginKit

/// The files of the log, for the holder of its lock.
///
/// | File | What is in it |
/// | --- | --- |
/// | `audit.jsonl` | the lines |
/// | `audit.head` | where they end |
/// | `audit.key` | 32 random bytes |
/// | `audit.lock` | the lock |
/// | `audit.room` | zeros, which go when the disk is full |
/// | `audit.new`, `audit.erase` | there while a log begins, or all of it is erased; whoever finds it does the rest |
struct AuditFolder {
    static let log = "audit.jsonl"
    static let head = "audit.head"
    static let key = "audit.key"
    static let lock = "audit.lock"
    static let room = "audit.room"
    static let beginning = "audit.new"
    static let erasing = "audit.erase"
    /// The most bytes to read. The limit of another process may be larger than that of this one.
    static let readLimit = 64 << 20

    let directory: String
    private let place: TrustedDirectory
    let files: any AppendingFiles
    private let held: any FileLock
    private let context: PluginContext

    init(_ place: TrustedDirectory, _ held: any FileLock, at directory: String, context: PluginContext) throws {
        guard let files = place.files as? any AppendingFiles else {
            throw AuthError(.configuration(.unsupported), "the disk of this context cannot append")
        }
        (self.place, self.files, self.held) = (place, files, held)
        (self.directory, self.context) = (directory, context)
    }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    func read(_ name: String) throws -> [UInt8]? {
        let path = path(name)
        return try disk(.read, at: path) {
            try files.read(name, limit: Self.readLimit) { try PrivateFile.check($0, at: path) }
        }
    }

    /// Writes behind the first `end` bytes of the log, and returns when that is on the disk.
    func append(_ bytes: [UInt8], at end: Int) throws {
        guard held.isInPlace else { throw CommitLock.Removed() }
        let path = path(Self.log)
        try inRoom {
            try disk(.write, at: path) {
                try files.append(Self.log, at: end, bytes) { try PrivateFile.check($0, at: path) }
            }
        }
    }

    /// Puts a whole new file in place. Its content is on the disk then, its name not before ``sync()``.
    func replace(_ name: String, with bytes: [UInt8]) throws {
        try inRoom { try replaceOnce(name, with: bytes) }
    }

    private func replaceOnce(_ name: String, with bytes: [UInt8]) throws {
        let temporary = ".\(name).tmp"
        do {
            // Only the holder of the lock makes one, so this is a dead writer's.
            try disk(.write, at: path(temporary)) {
                try files.remove(temporary)
                try files.writeNew(temporary, bytes)
            }
            guard held.isInPlace else { throw CommitLock.Removed() }
            try disk(.write, at: path(name)) { try files.rename(temporary, to: name) }
        } catch {
            try? files.remove(temporary)
            throw error
        }
    }

    /// Makes names durable.
    func sync() throws { try disk(.write, at: directory) { try files.syncDirectory(".") } }

    private func remove(_ name: String) throws { try disk(.write, at: path(name)) { try files.remove(name) } }

    private func isThere(_ name: String) throws -> Bool {
        try disk(.read, at: path(name)) { try files.status(name) != nil }
    }
}

// MARK: Beginning and ending

extension AuditFolder {
    /// Finishes what a dead process began, and returns the installation's keys. If there is no log yet, begins one,
    /// or returns `nil`.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)` if the key is gone or has another length.
    func prepare(begins: Bool) throws -> AuditKeys? {
        if try isThere(Self.erasing) { return try begin(.erased, Self.erasing) }
        if try isThere(Self.beginning) { return try begin(.new, Self.beginning) }
        if let key = try read(Self.key) {
            guard key.count == AuditKeys.size else {
                throw AuthError(.store(.damaged), "\(path(Self.key)) is not a key")
            }
            if let missing = CryptoLibrary.missing { throw AuthError(missing) }
            return AuditKeys(key)
        }
        guard try !isThere(Self.log), try !isThere(Self.head) else {
            throw AuthError(
                .store(.damaged), "\(path(Self.key)) is missing, so the log can be neither read nor continued")
        }
        guard begins else { return nil }
        try mark(Self.beginning)
        return try begin(.new, Self.beginning)
    }

    /// Removes every line, where the log ended, and the key, so that what was exported before tells nothing either.
    func eraseAll() throws {
        if try !isThere(Self.erasing) { try mark(Self.erasing) }
        _ = try begin(.erased, Self.erasing)
    }

    private func mark(_ name: String) throws {
        try disk(.write, at: path(name)) { try files.writeNew(name, []) }
        try sync()
    }

    /// Begins a log in place of what is there. Each step may be the last one of this process; then the next one
    /// begins again, because the mark is still there.
    private func begin(_ why: StartReason, _ mark: String) throws -> AuditKeys {
        if let missing = CryptoLibrary.missing { throw AuthError(missing) }
        guard held.isInPlace else { throw CommitLock.Removed() }
        for name in [Self.log, Self.head, Self.key] { try remove(name) }
        let key = context.random(AuditKeys.size)
        let keys = AuditKeys(key)
        try replace(Self.key, with: key)
        var composer = LineComposer(after: 0, chain: AuditLine.nothing, keys)
        let now = LogTime(LogTime.Reading(context.clock), after: nil, age: .zero, keys)
        composer.start(at: now, why: why, continues: nil, faults: 0)
        try replace(Self.log, with: composer.bytes)
        try replace(Self.head, with: AuditHead(number: 0, chain: composer.chain).bytes(keys))
        try sync()
        try place.syncParents()
        try remove(mark)
        try sync()
        return keys
    }
}
