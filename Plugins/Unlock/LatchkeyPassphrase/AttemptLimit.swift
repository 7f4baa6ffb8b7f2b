public import Latchkey
import LatchkeyPluginKit

/// Counts wrong tries across all processes of this user, and makes the person wait longer after each.
///
/// | Case | What happens |
/// | --- | --- |
/// | The third wrong try | the next try has to wait 5 seconds; after further ones 15, 60, and then 300 each |
/// | A process is killed during a try | the try counts, because it is counted before it runs |
/// | Several processes try at once | each try is counted, under a lock; together they have no more tries than one process |
/// | The machine restarts | the wait continues by the wall clock, and ends at the latest when the machine has run for as long as the wait is |
/// | The clock is set back or forward | nothing in the same boot, because the monotonic clock counts |
/// | A right try | the count starts again at 0 |
/// | The file with the count is damaged, or names a time that is too far away | the same wait as after many wrong tries, once |
/// | A try fails for another reason, such as a disk error | it is taken back |
///
/// Anyone who can remove the file gets new tries, and anyone who can copy the store does not need any: only the
/// stretching of the passphrase protects the store then. The limit slows down a person at the keyboard.
public struct AttemptLimit: Sendable {
    /// The usual waits. The first is the wait after no wrong try, the second after one, and so on; the last applies
    /// to all further ones.
    public static let usualWaits: [Duration] = [
        .zero, .zero, .zero, .seconds(5), .seconds(15), .seconds(60), .seconds(300),
    ]

    /// What happens after too many wrong tries.
    public struct Wipe: Sendable {
        let tries: UInt32
        let run: @Sendable () async throws -> Void

        /// Creates a wipe: after `tries` wrong tries in a row, `run` destroys what they were for, such as by
        /// ``/Latchkey/ErasableStore/erase()``. Use it only if the person has agreed: a child playing with the
        /// keyboard triggers it too.
        public init(after tries: Int, run: @escaping @Sendable () async throws -> Void) {
            self.tries = UInt32(clamping: max(1, tries))
            self.run = run
        }
    }

    private let directory: String
    private let name: String
    private let waits: [Duration]
    private let wipe: Wipe?
    private let context: PluginContext
    private let lock: CommitLock

    /// Creates a limit that keeps its count in `directory`.
    ///
    /// - Parameters:
    ///   - directory: An absolute path of a directory that only this user can access. It is made when
    ///     it is needed.
    ///   - name: What the tries are for, as part of a file's name.
    ///   - waits: How long to wait after none, one, two … wrong tries.
    ///   - wipe: What happens after too many wrong tries; `nil` for nothing.
    ///   - context: Time, randomness and files. Default: the system.
    public init(
        in directory: String, name: String = "unlock", waits: [Duration] = Self.usualWaits, wipe: Wipe? = nil,
        context: PluginContext = .system
    ) {
        self.directory = directory
        self.name = name
        self.waits = waits.isEmpty ? [.zero] : waits
        self.wipe = wipe
        self.context = context
        lock = CommitLock("\(name).tries.lock", in: directory, context: context)
    }

    /// See ``/Latchkey/ConfigurationChecking``. The unlocks of this module call it.
    func checkConfiguration() throws(AuthError) {
        guard directory.hasPrefix("/") else {
            throw AuthError(
                .configuration(.invalid),
                "The directory of an attempt limit needs an absolute path, not \"\(directory.prefix(200))\".")
        }
    }

    /// Returns the wait before the next try; `nil` if there is none. Changes nothing.
    ///
    /// - Throws: ``/Latchkey/AuthError`` with a `store` code when the count cannot be read.
    public func rest() throws -> Duration? {
        guard let place = try TrustedDirectory.open(directory, .own, in: context.files) else { return nil }
        return rest(of: try count(in: place))
    }

    /// Returns the number of wrong tries in a row.
    public func failures() throws -> Int {
        guard let place = try TrustedDirectory.open(directory, .own, in: context.files) else { return 0 }
        return Int(try count(in: place).failures)
    }

    /// Writes a count anew that is damaged or names a time further away than its wait, so that the wait for it ends.
    /// Otherwise changes nothing. ``attempt(_:)`` does this by itself.
    ///
    /// - Throws: ``/Latchkey/AuthError`` with a `store` code.
    public func settle() async throws {
        guard let place = try TrustedDirectory.open(directory, .own, in: context.files) else { return }
        guard try !found(in: place).isSound else { return }
        try await change { _ in }
    }

    /// Begins at 0 again, as after a right try: what the tries were for is another now.
    ///
    /// - Throws: ``/Latchkey/AuthError`` with a `store` code.
    public func forget() async throws {
        guard try TrustedDirectory.open(directory, .own, in: context.files) != nil else { return }
        try await change { $0 = AttemptCount() }
    }

    /// Runs `body` as one try, and counts it if it is wrong.
    ///
    /// - Parameter body: Tries the secret, and throws `refused(.wrongInput)` if it is wrong.
    /// - Throws: ``/Latchkey/AuthError`` `unlockUnavailable(.lockedOut)` with the wait, without running `body`; a
    ///   `store` code when the try cannot be counted; errors of `body`.
    public func attempt<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await begin()
        do {
            let value = try await body()
            try await change { $0 = AttemptCount() }
            return value
        } catch let error as AuthError where error.code == .refused(.wrongInput) {
            try await wipeWhenDue()
            throw error
        } catch {
            // The caller has learnt nothing. If this cannot be written, the try stays counted.
            try? await change { if $0.failures > 0 { $0.failures -= 1 } }
            throw error
        }
    }

    static func lockedOut(_ rest: Duration) -> AuthError {
        AuthError(.unlockUnavailable(.lockedOut), "There were too many wrong tries.", retryAfter: rest)
    }
}

extension AttemptLimit {
    /// Counts a try as wrong, before it runs.
    private func begin() async throws {
        try await wipeWhenDue()
        try await settle()
        try await change { count in
            if let rest = rest(of: count) { throw Self.lockedOut(rest) }
            count.failures = count.failures == .max ? .max : count.failures + 1
            count.until = moment(after: count.failures)
        }
    }

    private func wait(after failures: UInt32) -> Duration { waits[min(Int(failures), waits.count - 1)] }

    private func rest(of count: AttemptCount) -> Duration? {
        guard let until = count.until else { return nil }
        let longest = wait(after: count.failures)
        let rest = until.rest(by: context.clock, longest: longest)
        return rest > .zero ? rest : nil
    }

    private func wipeWhenDue() async throws {
        guard let wipe, try failures() >= Int(wipe.tries) else { return }
        try await wipe.run()
        try await change { $0 = AttemptCount() }
    }

    private func change(_ body: @Sendable (inout AttemptCount) throws -> Void) async throws {
        let making = { try TrustedDirectory.make(directory, .own, in: context.files) }
        try await lock.run(in: making(), making: making) { place, lock in
            let before = try found(in: place)
            var count = before.count
            try body(&count)
            guard count != before.count || !before.isSound else { return }
            guard lock.isInPlace else { throw CommitLock.Removed() }
            let isFirst = try disk(.read, at: path) { try place.files.status(file) } == nil
            try disk(.write, at: path) {
                let temporary = ".\(name).\(context.randomName(bytes: 8)).tmp"
                try place.files.writeNew(temporary, count.bytes())
                try place.files.rename(temporary, to: file)
                try place.files.syncDirectory(".")
            }
            // Otherwise a power loss could remove the directory, and the count with it.
            if isFirst { try place.syncParents() }
        }
    }

    private var file: String { "\(name).tries" }
    private var path: String { "\(directory)/\(file)" }

    private func count(in place: TrustedDirectory) throws -> AttemptCount { try found(in: place).count }

    /// Returns the count, and whether the file says so.
    private func found(in place: TrustedDirectory) throws -> (count: AttemptCount, isSound: Bool) {
        let bytes = try disk(.read, at: path) { try place.files.read(file, limit: 4_096) }
        guard let bytes else { return (AttemptCount(), true) }
        guard var count = AttemptCount(bytes) else {
            // Damaged by chance or on purpose: damaging the file must not give new tries.
            let failures = UInt32(waits.count)
            return (AttemptCount(failures: failures, until: moment(after: failures)), false)
        }
        let longest = wait(after: count.failures)
        guard let until = count.until, until.isBeyond(longest, by: context.clock) else { return (count, true) }
        count.until = moment(after: count.failures)
        return (count, false)
    }

    private func moment(after failures: UInt32) -> AttemptCount.Moment {
        AttemptCount.Moment(context.clock, after: wait(after: failures))
    }
}
