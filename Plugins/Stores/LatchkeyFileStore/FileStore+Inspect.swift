public import FoundationEssentials
public import Latchkey
import LatchkeyPluginKit

/// The state of a file store, for finding out why it does not work.
public struct FileStoreReport: Sendable {
    /// A path and what is wrong with it.
    public struct Problem: Sendable {
        /// The file, or the directory.
        public var path: String
        /// What is wrong, with the store's code for it.
        public var error: AuthError
    }

    /// A lock that a process holds.
    public struct HeldLock: Sendable {
        /// The lock file.
        public var path: String
        /// Whether it is the lock of a credential. If not, it is the lock that each commit takes for milliseconds.
        public var isLane: Bool
        /// The process that holds it, as written in the lock file: `pid 4711 (latchkey)`.
        public var holder: String?
        /// When it was taken, as written in the lock file by the holder's wall clock.
        public var since: Date?
    }

    /// Whether the directory exists. The first commit makes it.
    public var isThere = false
    /// What is wrong with the directory or with one above it. If this is set, nothing else was checked.
    public var directory: AuthError?
    /// The number of files that were checked.
    public var files = 0
    /// Files that others can read or change, and those that are not regular files.
    public var insecure: [Problem] = []
    /// The number of records.
    public var records = 0
    /// Records that cannot be read.
    public var damaged: [Problem] = []
    /// Why the store cannot write; `nil` if it can.
    public var writing: AuthError?
    /// Why the store cannot lock; `nil` if it can.
    public var locking: AuthError?
    /// The locks that are held now.
    public var held: [HeldLock] = []
    /// Temporary files of writers that died. The next writer removes them.
    public var leftovers: [String] = []
    /// Damaged records that were set aside.
    public var setAside: [String] = []
}

extension FileStore {
    /// Checks everything and leaves it as it was: writes one small file and removes it again, and takes each free
    /// lock for a moment. Never throws: problems are in the report.
    public func inspect() -> FileStoreReport {
        var report = FileStoreReport()
        do {
            guard let place = try TrustedDirectory.open(directory, .own, in: context.files) else { return report }
            report.isThere = true
            let names = try disk(.read, at: directory) { try place.files.list(".") }.sorted()
            report.files = names.count
            for name in names { look(at: name, in: place, &report) }
            report.writing = failure { try tryWriting(in: place) }
        } catch {
            report.directory = Self.known(error)
        }
        return report
    }

    private func look(at name: String, in place: TrustedDirectory, _ report: inout FileStoreReport) {
        let path = path(name)
        let isSound = {
            guard let found = try disk(.read, at: path, { try place.files.status(name) }) else { return }
            try PrivateFile.check(found, at: path)
        }
        if let error = failure(isSound) {
            report.insecure.append(.init(path: path, error: error))
            return
        }
        if name.hasPrefix("."), name.hasSuffix(RecordWire.temporarySuffix) {
            report.leftovers.append(path)
        } else if name.contains("\(RecordWire.suffix).damaged-") {
            report.setAside.append(path)
        } else if name.hasSuffix(RecordWire.suffix), !name.hasPrefix(".") {
            report.records += 1
            if let error = failure({ _ = try record(in: name, of: place, expecting: nil) }) {
                report.damaged.append(.init(path: path, error: error))
            }
        } else if name == RecordWire.lockName || name.hasSuffix(RecordWire.lockSuffix) {
            lookAtLock(name, in: place, &report)
        }
    }

    private func lookAtLock(_ name: String, in place: TrustedDirectory, _ report: inout FileStoreReport) {
        do {
            if let lock = try lock(name, in: place) { return lock.release() }
            let note = (try? place.files.read(name, limit: 64)).flatMap { $0 }.flatMap(LockNote.init)
            report.held.append(
                .init(
                    path: path(name), isLane: name != RecordWire.lockName, holder: note?.holder, since: note?.since))
        } catch {
            report.locking = report.locking ?? Self.known(error)
        }
    }

    private func tryWriting(in place: TrustedDirectory) throws {
        // Named like a writer's file: if this process dies here, the next writer removes it.
        let name = ".inspection.\(context.randomName(bytes: 8))\(RecordWire.temporarySuffix)"
        try disk(.write, at: path(name)) {
            try place.files.writeNew(name, [UInt8](repeating: 0x20, count: 4_096))
            try place.files.remove(name)
        }
    }

    private func failure(_ body: () throws -> Void) -> AuthError? {
        do {
            try body()
            return nil
        } catch {
            return Self.known(error)
        }
    }

    private static func known(_ error: any Error) -> AuthError {
        error as? AuthError
            ?? AuthError(.store(.unavailable), "the disk failed with an error of type \(type(of: error))")
    }
}
