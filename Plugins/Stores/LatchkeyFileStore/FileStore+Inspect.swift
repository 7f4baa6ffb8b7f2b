public import FoundationEssentials
public import Latchkey
import LatchkeyPluginKit

/// What a file store looks like from outside, for a person who wonders why it does not work.
public struct FileStoreReport: Sendable {
    /// A path and what is wrong with it.
    public struct Problem: Sendable {
        /// The file, or the directory.
        public var path: String
        /// What is wrong, with the store's code for it.
        public var error: AuthError
    }

    /// A lock that somebody holds.
    public struct HeldLock: Sendable {
        /// The lock file.
        public var path: String
        /// Whether it is the lane of a credential; else the lock that commits take for milliseconds.
        public var isLane: Bool
        /// Who holds it, by its own note: `pid 4711 (latchkey)`.
        public var holder: String?
        /// Since when, by its own note and the wall clock of then.
        public var since: Date?
    }

    /// Whether the directory is there. It is made at the first commit.
    public var isThere = false
    /// What is wrong with the directory itself, or with those above it. Nothing else is looked at then.
    public var directory: AuthError?
    /// How many files were looked at.
    public var files = 0
    /// Files that others may read or change, or that are no regular files.
    public var insecure: [Problem] = []
    /// How many records there are.
    public var records = 0
    /// Records that cannot be read.
    public var damaged: [Problem] = []
    /// Why nothing can be written.
    public var writing: AuthError?
    /// Why nothing can be locked.
    public var locking: AuthError?
    /// The locks that are held now.
    public var held: [HeldLock] = []
    /// What dead writers left; the next writer removes it.
    public var leftovers: [String] = []
    /// Damaged records that were set aside.
    public var setAside: [String] = []
}

extension FileStore {
    /// Looks at everything, and changes nothing: one small file is written and removed again, and each lock that is
    /// free is taken for a moment. Throws nothing: what is wrong is in the report.
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
            try RecordCheck.run(found, at: path)
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
        } else if name == RecordWire.lockName || name.hasSuffix(RecordWire.laneSuffix) {
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
        // Named like a writer's file: should this process die here, the next writer sweeps it.
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
