public import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// Asks for a PIN and takes a few wrong ones. The count is in a file, so that a restart gives no more tries.
///
/// It keeps out whoever cannot read that file: a PIN is short enough to be tried by who can.
public struct PocketUnlock: UnlockAuthenticator {
    private let directory: String
    private let limit: Int
    private let context: PluginContext
    private let ask: @Sendable (UnlockPrompt) async throws -> Secret?

    /// An unlock whose PIN is kept in `directory`.
    ///
    /// - Parameters:
    ///   - limit: How many wrong PINs in a row are refused before it is locked out.
    ///   - ask: Shows the prompt and brings what the person types; `nil` when they say no.
    public init(
        at directory: String, limit: Int = 5, context: PluginContext = .system,
        asking ask: @escaping @Sendable (UnlockPrompt) async throws -> Secret?
    ) {
        self.directory = directory
        self.limit = limit
        self.context = context
        self.ask = ask
    }

    /// Makes `pin` the one to ask for, and begins the count anew.
    public func enrol(_ pin: Secret) async throws {
        let salt = context.random(16)
        let kept = Kept(salt: salt, hash: try Self.hash(pin, salt), failures: 0)
        try await alone { try write(kept) }
    }

    /// Whether there is a PIN, and a try left. A damaged PIN is not an absent one.
    public func availability() async -> UnlockAvailability {
        do {
            guard let kept = try load() else { return .notEnrolled }
            return kept.failures < limit ? .available : .lockedOut(nil)
        } catch is FileError {
            return .missing(reason: "the file of the PIN cannot be read")
        } catch {
            return .invalidated
        }
    }

    /// Asks for the PIN.
    public func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant {
        guard let kept = try load() else { throw Self.notEnrolled }
        guard kept.failures < limit else { throw Self.lockedOut }
        guard let pin = try await ask(prompt) else { throw AuthError(.declined, "the person said no") }
        // A prompt that does not notice the end of the task may bring a PIN all the same.
        try Task.checkCancellation()
        // Counted before it is looked at: a process that is killed in between has had its try.
        try await change { kept in
            guard var next = kept else { throw Self.notEnrolled }
            guard next.failures < limit else { throw Self.lockedOut }
            next.failures += 1
            return next
        }
        guard constantTimeEqual(try Self.hash(pin, kept.salt), kept.hash) else {
            throw AuthError(.refused(.wrongInput), "the PIN is wrong")
        }
        try await change { kept in
            var next = kept
            next?.failures = 0
            return next
        }
        return UnlockGrant(provenAt: context.clock.now(), method: "pin")
    }

    private static var notEnrolled: AuthError { AuthError(.unlockUnavailable(.notEnrolled), "there is no PIN yet") }
    private static var damaged: AuthError { AuthError(.unlockUnavailable(.invalidated), "the PIN's file is damaged") }
    private static var lockedOut: AuthError {
        AuthError(.unlockUnavailable(.lockedOut), "there were too many wrong PINs")
    }

    private static func hash(_ pin: Secret, _ salt: [UInt8]) throws -> [UInt8] {
        try Scrypt.derive(
            passphrase: pin.reveal(), salt: salt, cost: 1 << 12, blockSize: 8, parallelization: 1, length: 32,
            memoryLimit: 16 << 20)
    }
}

// MARK: What is kept

extension PocketUnlock {
    private struct Kept {
        var salt: [UInt8]
        var hash: [UInt8]
        var failures: Int64
    }

    private var path: String { directory + "/pin.json" }

    /// Returns what is kept; `nil` only if nothing is there.
    private func load() throws -> Kept? {
        guard let bytes = try context.files.read(path, limit: 4_096) else { return nil }
        do {
            let kept = JSONField(try JSON.parse(bytes))
            let salt = try Base64.decode(kept["salt"].string())
            let hash = try Base64.decode(kept["hash"].string())
            let failures = try kept["failures"].integer()
            if salt.count == 16, hash.count == 32, failures >= 0 {
                return Kept(salt: salt, hash: hash, failures: failures)
            }
        } catch {}
        throw Self.damaged
    }

    /// Reads, changes and writes in one step, alone among all processes.
    private func change(_ change: @Sendable (Kept?) throws -> Kept?) async throws {
        try await alone { if let next = try change(load()) { try write(next) } }
    }

    /// Runs `body` while no other process does the same.
    private func alone(_ body: @Sendable () throws -> Void) async throws {
        try context.files.makeDirectory(directory)
        var lock = try context.files.lock(directory + "/lock", sharing: false)
        while lock == nil {
            try await context.clock.sleep(until: context.clock.now() + .milliseconds(5))
            lock = try context.files.lock(directory + "/lock", sharing: false)
        }
        defer { lock?.release() }
        try body()
    }

    private func write(_ kept: Kept) throws {
        let files = context.files
        let text: JSON = [
            "salt": .string(Base64.encode(kept.salt)), "hash": .string(Base64.encode(kept.hash)),
            "failures": .integer(kept.failures),
        ]
        try files.remove(path + ".new")
        try files.writeNew(path + ".new", text.serialized())
        try files.rename(path + ".new", to: path)
        try files.syncDirectory(directory)
    }
}
