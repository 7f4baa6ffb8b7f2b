public import Latchkey
import LatchkeyCrypto

/// What a store does when it finds an older vault in place of a newer one.
///
/// An older vault may hold a refresh token that was used already. Many services end a session whose refresh token
/// is used twice.
@nonexhaustive
public enum RollbackPolicy: String, Hashable, Sendable {
    /// Compares the vault only with those that this process has seen.
    case off
    /// Opens the vault, and reports it in ``EncryptedFileStore/lastRollback``. Another vault in its place is not opened.
    case warn
    /// Throws `store(.rolledBack)`. Call ``EncryptedFileStore/acceptRollback(generation:)`` if the older vault is
    /// intended.
    case enforce
}

/// The state of a vault, as far as it takes to tell newer from older. Not secret.
public struct VaultMark: Hashable, Sendable {
    /// The vault's ID.
    public var vault: VaultID
    /// How many times the vault was written.
    public var generation: UInt64
    /// SHA-256 of the vault's head. It tells two vaults of one generation apart.
    public var digest: [UInt8]

    init(_ header: VaultHeader) {
        vault = header.id
        generation = header.generation
        digest = Checksum.sha256(header.bytes)
    }

    /// Reads a mark from 56 bytes; `nil` for any other bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 56 else { return nil }
        vault = VaultID(Array(bytes[..<16]))
        generation = bytes[16..<24].reduce(0) { $0 << 8 | UInt64($1) }
        digest = Array(bytes[24...])
    }

    /// The mark as 56 bytes.
    public var bytes: [UInt8] { vault.bytes + VaultFileWire.bigEndian(generation, 8) + digest }
}

/// Remembers the newest state of vaults in a place that restoring an old copy of the vault does not restore.
///
/// A mark belongs to the directory of the vault, and not to the vault's ID, so that a vault that was made elsewhere is
/// noticed too.
public protocol RollbackAnchor: Sendable {
    /// Returns the newest state that was remembered of the vault in `directory`; `nil` if there is none.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)` or `store(.insecurePermissions)` if somebody may have changed what
    ///   the anchor remembers, which is an alarm. After any other error, the anchor is skipped: it cannot be asked now.
    func mark(of directory: String) async throws -> VaultMark?

    /// Remembers `mark` in place of the previous one.
    func remember(_ mark: VaultMark, of directory: String) async throws
}

/// Remembers marks in a private file of another directory, which is not copied with the vault.
public struct FileAnchor: RollbackAnchor {
    private let directory: String
    private let context: PluginContext

    /// Creates an anchor in `directory`, an absolute path of a directory that only this user can access.
    public init(in directory: String, context: PluginContext = .system) {
        self.directory = directory
        self.context = context
    }

    /// Returns the mark in the file.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)` or `store(.insecurePermissions)` for anything that is no private
    ///   file with a mark.
    public func mark(of directory: String) throws -> VaultMark? {
        guard let place = try TrustedDirectory.open(self.directory, .own, in: context.files) else { return nil }
        let path = path(of: directory)
        let bytes: [UInt8]?
        do {
            bytes = try disk(.read, at: path) {
                try place.files.read(Self.name(of: directory), limit: 64) { try PrivateFile.check($0, at: path) }
            }
        } catch let error as AuthError where error.code == .store(.unavailable) {
            // A link or a directory in its place looks so.
            throw AuthError(.store(.damaged), error.message)
        }
        guard let bytes else { return nil }
        guard let mark = VaultMark(bytes) else { throw AuthError(.store(.damaged), "\(path) is damaged") }
        return mark
    }

    /// Writes a new file in place of the previous one.
    public func remember(_ mark: VaultMark, of directory: String) throws {
        let place = try TrustedDirectory.make(self.directory, .own, in: context.files)
        let temporary = ".\(context.randomName(bytes: 8)).tmp"
        try disk(.write, at: "\(self.directory)/\(temporary)") {
            try place.files.writeNew(temporary, mark.bytes)
            do { try place.files.rename(temporary, to: Self.name(of: directory)) } catch {
                try? place.files.remove(temporary)
                throw error
            }
        }
    }

    private func path(of directory: String) -> String { "\(self.directory)/\(Self.name(of: directory))" }

    /// A name that a path of any length fits.
    private static func name(of directory: String) -> String {
        "\(VaultID(Array(Checksum.sha256(Array(directory.utf8)).prefix(16)))).mark"
    }
}
