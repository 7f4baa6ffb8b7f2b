import Latchkey
import LatchkeyCrypto
@testable import LatchkeyFileStore
@testable import LatchkeyJSON
@testable import LatchkeyPluginKit

extension FuzzTarget {
    /// A file of the file store, and the text in a lock file.
    ///
    /// An input is a file; or, after `=`, a line with members to replace those of a valid header, and the payload.
    static let fileRecord = FuzzTarget(name: "file-record", longest: 2_048) { bytes throws(Disagreement) in
        let file = FileInput.file(bytes)
        if let note = LockNote(file) {
            try demand(note.holder.utf8.count <= 64, "a note of a lock is long")
            try demand(note.holder.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a note would break its line")
        }
        do {
            let record = try RecordWire(file, at: "store/file")
            let again = try RecordWire(record.bytes(), at: "store/file")
            try demand(
                again.key.kind == record.key.kind && again.key.name.utf8.elementsEqual(record.key.name.utf8)
                    && again.version.bytes == record.version.bytes && again.payload == record.payload,
                "a file is read again as another one")
            try demand(file.suffix(record.payload.count).elementsEqual(record.payload), "the payload is not the file's")
            try demand(RecordWire.stem(of: record.key).utf8.count <= 64, "a file's name is long")
        } catch let error as AuthError {
            try Canary.demandHidden(error)
            switch error.code {
            case .store(.damaged), .store(.newerVersion): break
            default: throw Disagreement("a broken file is told as \(error.code)")
            }
        } catch let error as Disagreement {
            throw error
        } catch {
            throw Disagreement("a broken file is told as \(type(of: error))")
        }
    }
}

/// Reads files in the format of inputs.
enum FileInput {
    static func file(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.first == UInt8(ascii: "="), let end = bytes.firstIndex(of: 0x0A) else { return bytes }
        let payload = Array(bytes[(end + 1)...])
        let right = RecordWire(
            key: StoreKey(.credential, "zq7!canary"), version: RecordVersion([UInt8](repeating: 0x61, count: 32)),
            payload: payload)
        let line = Array(right.bytes().prefix { $0 != 0x0A })
        guard var members = (try? JSON.parse(line))?.object,
            let changes = (try? JSON.parse(Array(bytes[1..<end])))?.object
        else { return right.bytes() }
        members.merge(changes) { _, new in new }
        return JSON.object(members).serialized() + [0x0A] + payload
    }
}
