import Latchkey
import LatchkeySystem
import LatchkeyPluginKit

/// A sign-in at a profile that does not exist yet. If it fails, nothing of the profile is left.
///
/// While it runs, it shares the lock of the profile's directory. The directory is removed only by who holds that lock
/// alone, and only if nothing but lock files is in it, each of them free. So of several first sign-ins at once, the
/// last one that fails tidies up, and none of them loses its place to another.
final class FirstLogin: Sendable {
    private static let patience = Duration.seconds(10)

    private let places: Places
    private let share: any FileLock
    /// Whether the encrypted file was there before.
    private let hadVault: Bool

    private var world: PluginContext { places.invocation.world }

    /// Makes the profile's directory, and shares its lock. Returns `nil` if that cannot be done: then the store says
    /// why at its first use.
    init?(_ invocation: Invocation, _ profile: Profile) async throws {
        places = try Places(invocation, profile)
        hadVault = profile.place == .encrypted ? try await places.vault().isThere() : false
        let (directory, world) = (places.directory, invocation.world)
        let taken = try? await LockWait.retry(until: world.clock.now() + Self.patience, in: world) {
            let place = try TrustedDirectory.make(directory, .own, in: world.files)
            // Another sign-in may just be removing the directory.
            do { return try place.files.lock(".", sharing: true) } catch FileError.missing { return nil }
        }
        guard let share = taken ?? nil else { return nil }
        self.share = share
    }

    /// Removes what the sign-in made, unless somebody uses it or it holds a record.
    ///
    /// - Parameter store: The store that was opened, if it was.
    func undo(_ store: (any CrossProcessStore)?) async {
        share.release()
        // A task of its own: the sign-in's may be cancelled.
        await Task { try? await remove(store) }.value
    }

    private func remove(_ store: (any CrossProcessStore)?) async throws {
        guard let place = try TrustedDirectory.open(places.directory, .own, in: world.files),
            let alone = try place.files.lock(".", sharing: false)
        else { return }
        defer { alone.release() }
        guard try places.invocation.profiles().profile(places.profile.name) == nil else { return }
        if places.place == .encrypted, !hadVault, let store, try await places.vault().isThere() {
            for kind in StoreKey.Kind.allCases {
                guard try await store.keys(kind).isEmpty else { return }
            }
            try await StoreDesk.removeRecords(of: places)
        }
        guard try Self.hasOnlyLocks(place.files) else { return }
        try Self.removeLocks(in: place.files)
        let parts = places.directory.split(separator: "/")
        // Fails if anything has come into it.
        try TrustedDirectory.open("/" + parts.dropLast().joined(separator: "/"), .sound, in: world.files)?.files
            .removeDirectory(String(parts.last ?? "."))
    }

    /// Whether nothing but lock files is in a directory and in those in it.
    private static func hasOnlyLocks(_ files: any FileAccess) throws -> Bool {
        for name in try files.list(".") {
            if case .directory(let inner, _)? = try files.entry(name) {
                guard try hasOnlyLocks(inner) else { return false }
            } else if !name.hasSuffix(".lock"), !name.hasSuffix(".lane") {
                return false
            }
        }
        return true
    }

    /// Removes every lock file while holding its lock, and the directories of them.
    private static func removeLocks(in files: any FileAccess) throws {
        for name in try files.list(".") {
            if case .directory(let inner, _)? = try files.entry(name) {
                try removeLocks(in: inner)
                try files.removeDirectory(name)
            } else {
                guard let lock = try files.lock(name, sharing: false) else { throw FileError.exists }
                defer { lock.release() }
                try files.remove(name)
            }
        }
    }
}
