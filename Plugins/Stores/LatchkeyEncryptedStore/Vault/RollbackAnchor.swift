public import Latchkey
import LatchkeyCrypto

/// What becomes of an older vault in place of a newer one.
///
/// An older one may hold a refresh token that was spent long ago; sending that ends the session at many services.
@nonexhaustive
public enum RollbackPolicy: String, Hashable, Sendable {
    /// Nothing is compared, but with what this process has seen itself.
    case off
    /// It is opened, and ``EncryptedFileStore/lastRollback`` tells of it.
    case warn
    /// It is not opened: `store(.rolledBack)`, until ``EncryptedFileStore/acceptRollback(generation:)``.
    case enforce
}

/// One state of a vault: enough to tell a newer one from an older one. Not secret.
public struct VaultMark: Hashable, Sendable {
    /// Which vault.
    public var vault: VaultID
    /// How often it was written.
    public var generation: UInt64
    /// SHA-256 of its head: two of one generation differ in it.
    public var digest: [UInt8]

    init(_ header: VaultHeader) {
        vault = header.id
        generation = header.generation
        digest = Checksum.sha256(header.bytes)
    }

    /// The mark in `bytes`, 56 of them; `nil`: they are none.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 56 else { return nil }
        vault = VaultID(Array(bytes[..<16]))
        generation = bytes[16..<24].reduce(0) { $0 << 8 | UInt64($1) }
        digest = Array(bytes[24...])
    }

    /// The mark as 56 bytes.
    public var bytes: [UInt8] { vault.bytes + VaultFileWire.bigEndian(generation, 8) + digest }
}

/// Remembers the newest state of vaults somewhere that an old copy of the vault does not bring back.
public protocol RollbackAnchor: Sendable {
    /// The newest state that was remembered; `nil`: none.
    func mark(of vault: VaultID) async throws -> VaultMark?

    /// Remembers `mark` in place of the vault's former one.
    func remember(_ mark: VaultMark) async throws
}

/// Remembers in a private file of another directory, which is not copied with the vault.
public struct FileAnchor: RollbackAnchor {
    private let directory: String
    private let context: PluginContext

    /// An anchor in `directory`, an absolute path of a directory that is this user's alone.
    public init(in directory: String, context: PluginContext = .system) {
        self.directory = directory
        self.context = context
    }

    /// What the file says.
    public func mark(of vault: VaultID) throws -> VaultMark? {
        guard let place = try TrustedDirectory.open(directory, .own, in: context.files) else { return nil }
        let path = "\(directory)/\(name(of: vault))"
        let bytes = try disk(.read, at: path) {
            try place.files.read(name(of: vault), limit: 64) { try VaultCheck.run($0, at: path) }
        }
        return bytes.flatMap(VaultMark.init)
    }

    /// Puts a new file in place of the former one.
    public func remember(_ mark: VaultMark) throws {
        let place = try TrustedDirectory.make(directory, .own, in: context.files)
        let temporary = ".\(context.randomName(bytes: 8)).tmp"
        try disk(.write, at: "\(directory)/\(temporary)") {
            try place.files.writeNew(temporary, mark.bytes)
            try place.files.rename(temporary, to: name(of: mark.vault))
        }
    }

    private func name(of vault: VaultID) -> String { "\(vault).mark" }
}
