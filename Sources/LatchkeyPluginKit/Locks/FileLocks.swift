public import Latchkey
import LatchkeySystem

/// Implements ``/Latchkey/CrossProcessStore/lock(_:deadline:)`` with lock files, for a store that
/// has a directory.
///
/// ```swift
/// final class ExampleStore: CrossProcessStore {
///     private let locks: FileLocks
///
///     init(in directory: String, context: PluginContext = .system) {
///         locks = FileLocks(in: directory, context: context)
///     }
///
///     func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
///         try await locks.lock(key, deadline: deadline)
///     }
/// }
/// ```
///
/// | Case | What happens |
/// | --- | --- |
/// | Two tasks of one instance | first come, first served, without polling |
/// | Two processes, or instances | the kernel's lock (`flock`). Linux wakes a waiter when it is free; elsewhere a waiter tries again after 10 to 250 milliseconds |
/// | The holder dies | the kernel frees the lock |
/// | The deadline passes | `busy`; its message names the holder's process, as the lock file says |
/// | The lock file is removed by hand | nobody enters beside the holder, if ``made(_:)`` was called for the key |
/// | Others can change the directory (``/Latchkey/TrustedDirectory``) | `store(.insecurePermissions)` |
/// | The file system cannot lock | `store(.unavailable)` |
///
/// `naming` names the files. They are empty except for a note of the holder. A lock on a removed file excludes nobody, so
/// they stay; a store may remove those of records that it no longer has, while no lock of any key is held. While one is,
/// the directory itself is locked too, shared.
public final class FileLocks: Sendable {
    /// The directory of the lock files.
    public let directory: String
    private let context: PluginContext
    private let naming: @Sendable (StoreKey) -> String
    private let queue = LockQueue()
    /// The keys whose lock files have been created.
    private let known = Locked<Set<StoreKey>>([])

    private typealias Taken = (lock: any FileLock, presence: any FileLock)

    /// Creates lock files in `directory`, an absolute path. The directory is created with mode 0700
    /// when the first lock is taken.
    ///
    /// - Parameters:
    ///   - directory: Where the lock files are.
    ///   - context: Time, randomness and files. Default: the system.
    ///   - naming: Returns the name of a key's lock file, which no other file of the directory may
    ///     have. Give each key its own name; keys with one name share one lock.
    public init(
        in directory: String, context: PluginContext = .system,
        naming: @escaping @Sendable (StoreKey) -> String = { FileLocks.name(of: $0) }
    ) {
        (self.directory, self.context, self.naming) = (directory, context, naming)
    }

    /// Takes the lock of `key`.
    ///
    /// - Parameters:
    ///   - key: The record that is locked.
    ///   - deadline: How long to wait for it. Zero takes it only if it is free.
    /// - Throws: ``/Latchkey/AuthError`` `busy` after the deadline, a `store` code if the disk
    ///   fails, `configuration(.invalid)` for a key that no store may keep; `CancellationError`.
    public func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try await lock(
            key, deadline: deadline, isMade: { _ in self.known.withLock { $0.contains(key) } },
            { try TrustedDirectory.make(self.directory, .own, in: self.context.files) })
    }

    /// Creates the lock file of `key` and remembers it. Call this for each record that exists when
    /// the store is opened or written.
    ///
    /// If the file is absent later, somebody removed it, perhaps while its holder is working. It is
    /// then created again only once no lock of any key is held. Without this call, the next caller
    /// creates it immediately.
    ///
    /// - Throws: ``/Latchkey/AuthError`` with a `store` code.
    public func made(_ key: StoreKey) throws {
        try key.check()
        guard !known.withLock({ $0.contains(key) }) else { return }
        try make(key, in: try TrustedDirectory.make(directory, .own, in: context.files))
        known.withLock { _ = $0.insert(key) }
    }

    /// Returns the default name of a key's lock file: the kind and the name, as hexadecimal text.
    /// For a name of more than 64 bytes it uses the first 40 and a checksum. If two such names
    /// collide, they share a lock, which only costs waiting.
    public static func name(of key: StoreKey) -> String {
        let name = Array(key.name.utf8)
        let isShort = name.count <= 64
        var text = "\(key.kind.rawValue)-"
        for byte in isShort ? name : Array(name.prefix(40)) {
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        guard !isShort else { return text + ".lane" }
        // FNV-1a (Fowler, Noll, Vo), twice.
        let sums = [0xCBF2_9CE4_8422_2325, 0x9AE1_6A3B_2F90_404F].map { start in
            name.reduce(start as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
        return text + "-\(String(sums[0], radix: 36))\(String(sums[1], radix: 36)).lane"
    }
}

extension FileLocks {
    /// Takes the lock of `key` in the directory that `opening` opens, anew for each try.
    ///
    /// - Parameter isMade: Whether the lock file was created before, so that its absence means
    ///   that it was removed.
    package func lock(
        _ key: StoreKey, deadline: Duration, isMade: (TrustedDirectory) throws -> Bool,
        _ opening: () throws -> TrustedDirectory
    ) async throws -> any HeldLock {
        try key.check()
        _ = try opening()
        let end = context.clock.now() + deadline
        let name = naming(key)
        guard let ticket = try await queue.acquire(key, deadline: deadline, clock: context.clock) else {
            throw AuthError(.busy, "the lock is held by \(holder(of: name, opening))")
        }
        do {
            let found = try await LockWait.run(until: end, in: context) { won in
                let place: TrustedDirectory
                do { place = try opening() } catch {
                    won?.release()
                    throw error
                }
                if let won { return try join(won, in: place) }
                return try take(name, in: place, isMade: { try isMade(place) })
            }
            guard let (lock, presence) = found else {
                throw AuthError(.busy, "the lock is held by \(holder(of: name, opening))")
            }
            lock.note(LockNote.own(at: context.clock.wall()))
            return HeldStoreLock(lock: lock, presence: presence, ticket: ticket, key: key, queue: queue)
        } catch {
            queue.release(ticket, of: key)
            throw error
        }
    }

    /// Creates the lock file of `key`, so that its absence later means that it was removed.
    package func make(_ key: StoreKey, in place: TrustedDirectory) throws {
        try lock(naming(key), in: place, sharing: true)?.release()
    }

    /// Removes the lock files that `isIdle` names, if no lock of any key is held: a lock on a removed file would exclude
    /// nobody. A waiter that had opened such a file finds that it is not in its place, and opens the next.
    ///
    /// Call it where no record can be made meanwhile.
    package func tidy(in place: TrustedDirectory, isIdle: (String) throws -> Bool) throws {
        guard let alone = try lock(".", in: place, sharing: false) else { return }
        defer { alone.release() }
        for name in try disk(.read, at: directory, { try place.files.list(".") }) where try isIdle(name) {
            try disk(.write, at: "\(directory)/\(name)") { try place.files.remove(name) }
        }
    }

    /// Takes the key's lock file if it is free, and with it a shared lock on the directory, which is
    /// unlikely to be removed by mistake.
    ///
    /// If a file that was created is absent, somebody removed it by hand, perhaps while its holder
    /// is working; a new file would exclude nobody. It is created again only if nobody shares the
    /// directory's lock, so if no lock of any key is held.
    private func take(
        _ name: String, in place: TrustedDirectory, isMade: () throws -> Bool
    ) throws -> LockWait.Try<Taken> {
        let path = "\(directory)/\(name)"
        if try disk(.read, at: path, { try place.files.status(name) }) == nil, try isMade() {
            guard let alone = try lock(".", in: place, sharing: false) else { return .refused }
            defer { alone.release() }
            try lock(name, in: place, sharing: true)?.release()
        }
        guard let presence = try lock(".", in: place, sharing: true) else { return .refused }
        do {
            if let lock = try lock(name, in: place, sharing: false) { return .taken((lock, presence)) }
        } catch {
            presence.release()
            throw error
        }
        presence.release()
        return .held(place.files, name: name)
    }

    /// Takes the shared lock on the directory for the lock file that was waited for.
    ///
    /// Until that is held, the file may be removed by hand, and another process may make a new one and lock it.
    private func join(_ won: any FileLock, in place: TrustedDirectory) throws -> LockWait.Try<Taken> {
        do {
            if let presence = try lock(".", in: place, sharing: true) {
                if won.isInPlace { return .taken((won, presence)) }
                presence.release()
            }
            won.release()
            return .refused
        } catch {
            won.release()
            throw error
        }
    }

    /// Takes the lock file, or the directory's own lock (`.`), if it is free.
    private func lock(_ name: String, in place: TrustedDirectory, sharing: Bool) throws -> (any FileLock)? {
        try disk(.write, at: name == "." ? directory : "\(directory)/\(name)") {
            try place.files.lock(name, sharing: sharing)
        }
    }

    private func holder(of name: String, _ opening: () throws -> TrustedDirectory) -> String {
        LockNote.holder(of: name, in: try? opening())
    }
}

/// A key's lock, held by a lock file.
private struct HeldStoreLock: HeldLock {
    let lock: any FileLock
    /// A share of the directory's own lock. It shows that some lock is held.
    let presence: any FileLock
    let ticket: UInt64
    let key: StoreKey
    let queue: LockQueue

    func release() {
        lock.release()
        presence.release()
        queue.release(ticket, of: key)
    }
}
