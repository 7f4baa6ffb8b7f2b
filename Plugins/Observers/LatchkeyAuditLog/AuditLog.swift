public import Latchkey
import LatchkeySystem
import LatchkeyPluginKit

/// Keeps a security log: who did what, when, on which device, how it ended and why.
///
/// ```swift
/// let log = AuditLog(at: "/home/ada/.local/share/notes/audit")
/// let auth = try AuthClient.Builder()/* provider, store, transport */.auditLog(log).build()
/// try await log.record(AuditEvent(.passwordChanged, of: account, reason: .person))
/// ```
///
/// | Case | What happens |
/// | --- | --- |
/// | ``record(_:)`` returns | the line is on the disk, and no kill or power loss takes it away |
/// | A process dies in the middle of a line | the half line was never acknowledged; the next line takes its place |
/// | Several processes | one lock file for the moment of a line; all lines are one chain |
/// | A line was changed, put in, removed or moved, or the end was cut off | ``verify()`` says where; writing goes on behind a line that says so too |
/// | A person's identifiers | HMAC-SHA256 under a random key of this installation: equal within it, and different everywhere else |
/// | A line is older, or there are more bytes, than the limits allow | the oldest lines go with the next line or ``trim()``; the first line then carries what the rest is chained on |
/// | The wall clock is set back or forward | ages do not change, because they are counted from the clock that runs from boot |
/// | A file or directory that others can read or change | `store(.insecurePermissions)`; nothing is written |
/// | The disk is full | the log keeps 32 KiB of room for this: the next lines take its place. Then `store(.full)`; no half line stays, and the log goes on once there is space |
///
/// What a client tells is written a moment later, without acknowledgement, since a client must not wait for a disk:
/// call ``flush()`` before your program ends. Up to 1,024 such events wait; a line says how many were lost beyond.
///
/// Whoever can read the key beside the log can write lines that nobody can tell from real ones, and whoever can
/// replace the whole directory can put an older one back. The chain shows what was done by accident, by a faulty
/// program, or by somebody who could write to the log and not read the key.
public final class AuditLog: Sendable {
    /// How long and how much is kept.
    public struct Limits: Hashable, Sendable {
        /// After how long a line goes; at least a minute. 90 days by default.
        public var age: Duration
        /// The most bytes of lines; at least 64 KiB. 1 MiB by default, which is about 2,500 lines.
        public var bytes: Int

        /// Creates limits. Smaller ones than allowed become the smallest allowed.
        public init(age: Duration = .seconds(90 * 86_400), bytes: Int = 1 << 20) {
            self.age = max(age, .seconds(60))
            self.bytes = max(bytes, 65_536)
        }
    }

    struct Pending {
        var events: [(event: AuditEvent, reading: LogTime.Reading)] = []
        var dropped = 0
        var isWriting = false
    }

    /// The most events that wait to be written.
    static let mostPending = 1_024

    /// The directory of the files.
    public let directory: String
    /// How long and how much is kept.
    public let limits: Limits
    let device: String?
    let context: PluginContext
    let pending = Locked(Pending())
    private let commits: CommitLock

    /// Creates a log in `directory`, an absolute path of a directory that is used for nothing else. It touches no
    /// file before the first call.
    ///
    /// - Parameters:
    ///   - directory: Made with mode 0700 when it is needed.
    ///   - limits: Processes that share a log should have the same.
    ///   - device: The app's ID of this device, of which a hash is in every line. Default: one of this installation.
    ///   - context: Clock, randomness, disk and tasks. The disk must be ``/Latchkey/AppendingFiles``.
    public init(
        at directory: String, limits: Limits = Limits(), device: String? = nil, context: PluginContext = .system
    ) {
        (self.directory, self.limits, self.device, self.context) = (directory, limits, device, context)
        commits = CommitLock(AuditFolder.lock, in: directory, context: context, longest: .milliseconds(20))
    }

    /// Writes an event. When it returns, the line is on the disk. What the client told before it is written first.
    ///
    /// - Throws: ``/Latchkey/AuthError`` with a `store` code: `insecurePermissions`, `full`, `readOnly`, `damaged` (the
    ///   key is gone), `newerVersion`, `lockTimeout`, `unavailable`; `configuration(.unsupported)` if the disk cannot
    ///   append. If only the very last step failed, the line may be there. `CancellationError` while it waits for the
    ///   lock.
    public func record(_ event: AuditEvent) async throws {
        let reading = LogTime.Reading(context.clock)
        try await writing { folder, keys in
            try writePending(to: folder, keys)
            try write([(event, reading)], dropped: 0, to: folder, keys)
        }
    }

    /// Writes what the client told so far.
    ///
    /// - Throws: As ``record(_:)``. Then the events still wait, and the next event or call tries again.
    public func flush() async throws {
        guard pending.withLock({ !$0.events.isEmpty || $0.dropped > 0 }) else { return }
        try await writing { try writePending(to: $0, $1) }
    }

    /// Removes lines that are older or more than the limits allow, also if nothing is written.
    public func trim() async throws {
        try await reading { try compact(in: $0, $1) }
    }
}

// MARK: The lock

extension AuditLog {
    /// Runs `body` as the log's only user. Begins a log if there is none.
    func writing<Value>(_ body: (AuditFolder, AuditKeys) throws -> Value) async throws -> Value {
        let place = try TrustedDirectory.make(directory, .own, in: context.files)
        return try await locked(place) { folder in
            guard let keys = try folder.prepare(begins: true) else {
                throw AuthError(.store(.unavailable), "\(directory) has disappeared")
            }
            defer { folder.keepRoom() }
            return try body(folder, keys)
        }
    }

    /// Runs `body` as the log's only user; `nil` if there is no log.
    func reading<Value>(_ body: (AuditFolder, AuditKeys) throws -> Value) async throws -> Value? {
        guard let place = try TrustedDirectory.open(directory, .own, in: context.files) else { return nil }
        return try await locked(place) { folder in
            try folder.prepare(begins: false).map { try body(folder, $0) }
        }
    }

    func locked<Value>(
        _ place: TrustedDirectory, _ body: (AuditFolder) throws -> Value
    ) async throws -> Value {
        let making = { [self] in try TrustedDirectory.make(directory, .own, in: context.files) }
        return try await commits.run(in: place, making: making) { place, held in
            let folder = try AuditFolder(place, held, at: directory, context: context)
            return try body(folder)
        }
    }
}
