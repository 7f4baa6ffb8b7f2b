import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyPluginKit

/// What a passphrase or PIN is compared with: a salted hash in a file of its own.
struct PresenceProof: Sendable {
    /// What the file says.
    struct Expected: Sendable {
        let salt: [UInt8]
        let hash: [UInt8]
        let logN: Int

        func isRight(_ typed: Secret) throws -> Bool {
            constantTimeEqual(try PresenceProof.stretch(typed, salt, logN), hash)
        }
    }

    enum Found: Sendable {
        case none, damaged
        case sound(Expected)
    }

    let directory: String
    let name: String
    let context: PluginContext

    private var file: String { "\(name).proof" }
    private var path: String { "\(directory)/\(file)" }

    func found() throws -> Found {
        guard let place = try TrustedDirectory.open(directory, .own, in: context.files) else { return .none }
        guard let bytes = try disk(.read, at: path, { try place.files.read(file, limit: 4_096) }) else { return .none }
        return Expected(bytes).map { .sound($0) } ?? .damaged
    }

    func keep(_ chosen: Secret) throws {
        let salt = context.random(16)
        let hash = try Self.stretch(chosen, salt, Self.logN)
        let document: JSON = [
            "kind": .string(Self.kind), "salt": .string(Base64URL.encode(salt)),
            "hash": .string(Base64URL.encode(hash)), "log_n": .integer(Int64(Self.logN)),
        ]
        let place = try TrustedDirectory.make(directory, .own, in: context.files)
        try disk(.write, at: path) {
            let temporary = ".\(name).\(context.randomName(bytes: 8)).tmp"
            try place.files.writeNew(temporary, document.serialized())
            try place.files.rename(temporary, to: file)
            try place.files.syncDirectory(".")
        }
        try place.syncParents()
    }

    func remove() throws {
        guard let place = try TrustedDirectory.open(directory, .own, in: context.files) else { return }
        try disk(.write, at: path) {
            try place.files.remove(file)
            try place.files.syncDirectory(".")
        }
    }

    fileprivate static let kind = "latchkey.presence"
    /// Some 60 ms and 32 MiB.
    private static let logN = 15

    private static func stretch(_ typed: Secret, _ salt: [UInt8], _ logN: Int) throws -> [UInt8] {
        try Scrypt.derive(
            passphrase: typed.reveal(), salt: salt, cost: 1 << logN, blockSize: 8, parallelization: 1, length: 32,
            memoryLimit: 256 << 20)
    }
}

/// The file's format, JSON.
extension PresenceProof.Expected {
    init?(_ bytes: [UInt8]) {
        guard let document = try? JSON.parse(bytes), document["kind"]?.string == PresenceProof.kind,
            let salt = document["salt"]?.string.flatMap({ try? Base64URL.decode($0) }), salt.count == 16,
            let hash = document["hash"]?.string.flatMap({ try? Base64URL.decode($0) }), hash.count == 32,
            let logN = document["log_n"]?.integer, (15...17).contains(logN)
        else { return nil }
        (self.salt, self.hash, self.logN) = (salt, hash, Int(logN))
    }
}
