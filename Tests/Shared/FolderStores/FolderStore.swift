public import Latchkey
import LatchkeySystem

/// A small store of files, as an author would write it, that breaks at most one promise: one of those that only processes
/// show which are real, and killed.
public final class FolderStore: CrossProcessStore {
    /// The promise that it breaks.
    public enum Fault: String, CaseIterable, Sendable {
        case writesInPlace, makesOpenFiles, makesOpenFolder, reportsEarly, swapsUnlocked, countsVersions
        case commitsByExistence, locksByExistence, sharesLocks, hangsAfterDeath

        /// The clause that must catch it.
        public var clause: String {
            switch self {
            case .writesInPlace: "a record is whole, whoever is killed"
            case .makesOpenFiles, .makesOpenFolder: "every file and folder is its owner's alone"
            case .reportsEarly: "what was acknowledged outlasts a kill"
            case .swapsUnlocked: "no increment of several processes is lost"
            case .countsVersions: "no version comes again"
            case .commitsByExistence, .hangsAfterDeath: "a killed process holds nobody up"
            case .locksByExistence: "a lock is free once its holder is killed"
            case .sharesLocks: "a lock that another process holds is busy"
            }
        }
    }

    private struct State {
        var files: [String: [UInt8]] = [:]
        var count = 0
    }

    private let folder: String
    private let fault: Fault?
    private let disk = SystemFiles()
    /// What is said to be written, by the one that reports early.
    private let pending = Locked(State())

    /// A store in `folder`, which is made if it is absent.
    public init(_ folder: String, _ fault: Fault? = nil) throws {
        (self.folder, self.fault) = (folder, fault)
        try fault == .makesOpenFolder ? RawFile.makeOpenFolder(folder) : disk.makeDirectory(folder)
    }

    /// What is under `key`.
    public func read(_ key: StoreKey) throws -> StoredRecord? {
        guard let bytes = try content(of: file(key)) else { return nil }
        guard let end = bytes.firstIndex(of: 0x0A) else {
            throw AuthError(.store(.damaged), "a file has no first line")
        }
        return StoredRecord(bytes: Array(bytes[(end + 1)...]), version: RecordVersion(Array(bytes[..<end])))
    }

    /// Compare-and-swap, but for the fault.
    public func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws
        -> RecordVersion?
    {
        let file = file(key)
        let lock = try await locked()
        defer { lock.release() }
        let found = try read(key)?.version
        guard found == version else { throw StoreConflict(found: found) }
        guard let bytes else {
            if found != nil { try put(nil, into: file) }
            return nil
        }
        let last = found.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) } ?? 0
        let name = fault == .countsVersions ? "\(last + 1)" : PluginContext.system.randomName()
        try put(Array("\(name)\n".utf8) + bytes, into: file)
        return RecordVersion(Array(name.utf8))
    }

    /// Every key of `kind`.
    public func keys(_ kind: StoreKey.Kind) throws -> [StoreKey] {
        try disk.list(folder).compactMap { name in
            let parts = name.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0] == "record", parts[1] == kind.rawValue else { return nil }
            return StoreKey(kind, String(decoding: RawFile.bytes(hexadecimal: parts[2]), as: UTF8.self))
        }
    }

    /// Takes the lock of `key`, but for the fault.
    public func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        let name = "\(folder)/lock-\(RawFile.hexadecimal(key.name))"
        let held = try await wait(deadline) {
            try take(name, byExistence: fault == .locksByExistence, sharing: fault == .sharesLocks)
        }
        guard let held else { throw AuthError(.busy, "the lock is held") }
        return held
    }
}

extension FolderStore {
    private func file(_ key: StoreKey) -> String {
        "\(folder)/record-\(key.kind.rawValue)-\(RawFile.hexadecimal(key.name))"
    }

    private func content(of file: String) throws -> [UInt8]? {
        if let bytes = pending.withLock({ $0.files[file] }) { return bytes }
        return try disk.read(file, limit: 1 << 20)
    }

    /// Makes this the only writer, until that is released.
    private func locked() async throws -> FolderLock {
        if fault == .swapsUnlocked { return .none }
        let byExistence = fault == .commitsByExistence || fault == .hangsAfterDeath
        let held = try await wait(fault == .hangsAfterDeath ? .seconds(3_600) : .seconds(2)) {
            try take("\(folder)/lock", byExistence: byExistence)
        }
        guard let held else { throw AuthError(.store(.lockTimeout), "the store is locked") }
        return held
    }

    private func take(_ name: String, byExistence: Bool, sharing: Bool = false) throws -> FolderLock? {
        if byExistence { return RawFile.makeNew(name) ? .name(name) : nil }
        return try disk.lock(name, sharing: sharing).map { .kernel($0) }
    }

    private func wait<Value>(_ deadline: Duration, _ take: () throws -> Value?) async throws -> Value? {
        let clock = SystemClock()
        let end = clock.now() + deadline
        while true {
            if let taken = try take() { return taken }
            guard clock.now() < end else { return nil }
            try await clock.sleep(until: clock.now() + .milliseconds(1))
        }
    }

    private func put(_ bytes: [UInt8]?, into file: String) throws {
        guard fault == .reportsEarly, let bytes else {
            pending.withLock { $0.files[file] = nil }
            return try write(bytes, file)
        }
        let number = pending.withLock { state in
            state.files[file] = bytes
            state.count += 1
            return state.count
        }
        Task.detached { [self] in
            try await SystemClock().sleep(until: SystemClock().now() + .milliseconds(5))
            let isNewest = pending.withLock { $0.count == number && $0.files[file] != nil }
            if isNewest { try write(bytes, file) }
        }
    }

    private func write(_ bytes: [UInt8]?, _ file: String) throws {
        guard let bytes else { return try disk.remove(file) }
        if fault == .writesInPlace { return RawFile.overwrite(file, bytes) }
        let new = "\(folder)/new-\(PluginContext.system.randomName(bytes: 8))"
        if fault == .makesOpenFiles {
            RawFile.overwrite(new, bytes, mode: 0o644)
        } else {
            try disk.writeNew(new, bytes)
        }
        try disk.rename(new, to: file)
        try disk.syncDirectory(folder)
    }
}

/// A lock that is held, by its file's existence or by the kernel.
private enum FolderLock: HeldLock {
    case none
    case name(String)
    case kernel(any FileLock)

    func release() {
        switch self {
        case .none: break
        case .name(let name): RawFile.remove(name)
        case .kernel(let lock): lock.release()
        }
    }
}
