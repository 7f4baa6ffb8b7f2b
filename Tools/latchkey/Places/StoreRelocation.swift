import Latchkey
import LatchkeyPluginKit

/// Moves the profiles' directories to where they belong from where earlier versions kept them, one level deeper.
///
/// | Case | What happens |
/// | --- | --- |
/// | Nobody works with the directory | it is renamed, in one step |
/// | Two processes move it at once | one does; the other finds it moved |
/// | The process dies | the directory is at one of the two places, whole |
/// | A request to the service is under way | it is waited for; after ten seconds this command uses the old place |
/// | It cannot be renamed, for example on a read-only disk | this command uses the old place |
/// | There are files at the new place too | nothing is moved: the new place counts, and the person is told |
///
/// Two processes never write under different locks: a lock belongs to the file and not to its path, so a rename
/// keeps it. Stores open their directory by its path for each use, and take no lock in one that was moved
/// (``/Latchkey/FileAccess/lock(_:sharing:)``). So who still uses the old path is told that the store is gone. No
/// answer of a service is lost either: from the note of a request to its stored answer, a process holds the lock of
/// the credential, and with it a share of the lock of the directory itself, which the move takes alone.
struct StoreRelocation: Sendable {
    /// How long to wait for requests that are under way.
    private static let patience = Duration.seconds(10)

    private let invocation: Invocation
    private let folder: DataFolder
    private var files: any FileAccess { invocation.world.files }

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        folder = try DataFolder(invocation.environment)
    }

    /// Returns the directory in use for the session of a profile: the old one if it could not be moved.
    func directory(of profile: String) -> String {
        let (new, old) = (folder.store(of: profile), folder.formerStore(of: profile))
        return status(new) == nil && status(old)?.kind == .directory ? old : new
    }

    /// Returns the old directory of a profile if sessions are in it and are not used, because the new one is used.
    func leftBehind(of profile: String) -> String? {
        let old = folder.formerStore(of: profile)
        return directory(of: profile) != old && holdsRecords(old) ? old : nil
    }

    /// Moves every directory that can be moved. What goes wrong here, the store itself reports when it is used.
    func run() async {
        guard status(folder.former)?.kind == .directory,
            (try? TrustedDirectory.open(folder.former, .sound, in: files)) != nil
        else { return }
        for profile in ((try? files.list(folder.former)) ?? []).sorted() where ProfileName.isValid(profile) {
            try? await move(profile)
        }
        // Succeeds if nothing is left in it.
        try? files.removeDirectory(folder.former)
        tellWhatIsLeft()
    }

    private func move(_ profile: String) async throws {
        let (old, new) = (folder.formerStore(of: profile), folder.store(of: profile))
        // An agent of an earlier version may be listening there.
        guard profile != "agent" || holdsRecords(old) else { return }
        let world = invocation.world
        let end = world.clock.now() + Self.patience
        guard let held = try await LockWait.retry(until: end, in: world, { try locked(old) }) else { return }
        defer { for lock in held { lock.release() } }
        // Replaces an empty directory, and fails if anything is in it.
        try files.rename(old, to: new)
        try files.syncDirectory(folder.path)
        try files.syncDirectory(folder.former)
    }

    /// Takes the locks of the directory and of those in it that have locks of credentials; `nil` if one is held.
    private func locked(_ old: String) throws -> [any FileLock]? {
        var held: [any FileLock] = []
        for path in [old, "\(old)/keyring", "\(old)/vault"] {
            guard case .directory(let inner, _)? = try files.entry(path) else {
                if path == old { throw FileError.missing }
                continue
            }
            guard let lock = try inner.lock(".", sharing: false) else {
                for lock in held { lock.release() }
                return nil
            }
            held.append(lock)
        }
        return held
    }

    private func tellWhatIsLeft() {
        guard !invocation.arguments.has(.json), let profile = try? invocation.profileName(),
            let old = leftBehind(of: profile)
        else { return }
        invocation.console.note(
            "latchkey: "
                + Console.printable(
                    invocation.texts(
                        "store.leftBehind", ["profile": profile, "path": old, "new": folder.store(of: profile)])))
    }

    private func holdsRecords(_ directory: String) -> Bool {
        let names = (try? files.list(directory)) ?? []
        return names.contains { $0.hasSuffix(".record") } || status("\(directory)/vault/vault.lkv") != nil
    }

    private func status(_ path: String) -> FileStatus? { (try? files.status(path)) ?? nil }
}
