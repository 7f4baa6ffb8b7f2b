import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting

/// A PIN that is typed, with three tries, kept in a file. It breaks exactly one promise.
struct TypedPIN: KeyReleasing {
    enum Fault: String, CaseIterable, Sendable {
        case noResets, availabilityResets, forgetsByDay, forgetsAtRestart, countsInMemory, fullForgives, skipsLock
        case damagedIsNew, damagedIsAbsent, unreadableIsAbsent, releasesEarly, troubleIsWrong, remembers, otherReason
        case readsBeginning, takesLate, leavesOpen, failureIsNo, asksLockedOut, datedEarly, showsTyped, writesTyped

        var clause: String {
            switch self {
            case .noResets: "a no and a cancelled prompt neither count as a try nor reset the count"
            case .availabilityResets: "asking whether it is available changes nothing"
            case .forgetsByDay, .forgetsAtRestart:
                "a lock-out outlasts a clock that jumps and a restart of the machine"
            case .countsInMemory: "wrong proofs are counted where the next process finds them"
            case .fullForgives: "no proof is judged that cannot be counted"
            case .skipsLock: "two instances at once count each wrong proof"
            case .damagedIsNew, .damagedIsAbsent: "what is kept and damaged is neither absent nor new"
            case .unreadableIsAbsent: "what is kept and cannot be read is neither absent nor new"
            case .releasesEarly, .troubleIsWrong:
                "another error of what the key opens is thrown as it is, and is no wrong proof"
            case .remembers: "a wrong proof is refused(.wrongInput)"
            case .otherReason: "each proof is asked for anew, with the reason that the prompt gives"
            case .readsBeginning: "only the whole proof is right"
            case .takesLate: "a proof that comes after the prompt was cancelled is not taken"
            case .leavesOpen: "a cancelled prompt is closed"
            case .failureIsNo: "a prompt that fails is neither a no nor a try"
            case .asksLockedOut: "nobody is asked who cannot be let in"
            case .datedEarly: "a grant is dated when the proof was given"
            case .showsTyped, .writesTyped: "what is typed is neither shown nor written down"
            }
        }
    }

    static let right = Secret("Sloop-4711-1891")
    static let wrong = Secret("Ketch-0000-1891")
    static let limit = 3
    /// The failures that are in memory alone.
    final class Memory: Sendable {
        let failures = Locked<Int64>(0)
        let isOpen = Locked(false)
    }

    let fault: Fault?
    let directory: String
    let context: PluginContext
    let memory: Memory
    let ask: @Sendable (String) async throws -> Secret?

    func enrol() throws {
        let hint = fault == .writesTyped ? Self.right.revealText() : ""
        try write(Kept(hash: hash(Self.right), failures: 0, hint: hint))
    }

    func availability() -> UnlockAvailability {
        do {
            guard let kept = try load() else { return .notEnrolled }
            if fault == .availabilityResets, kept.failures < Self.limit { try count { _ in 0 } }
            return kept.failures < Self.limit ? .available : .lockedOut(nil)
        } catch {
            return fault == .damagedIsAbsent ? .notEnrolled : .invalidated
        }
    }

    func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant { try await unlock(prompt) { _ in } }

    func unlock(
        _ prompt: UnlockPrompt, opening: @escaping @Sendable (UnlockKey) async throws -> Void
    ) async throws -> UnlockGrant {
        guard let kept = try load() else { throw AuthError(.unlockUnavailable(.notEnrolled), "there is no PIN") }
        if kept.failures >= Self.limit, fault != .asksLockedOut { throw Self.lockedOut }
        let begin = context.clock.now()
        if fault == .remembers, memory.isOpen.withLock({ $0 }) { return try await grant(begin, opening) }
        let typed = try await answer(fault == .otherReason ? "Your PIN" : prompt.reason)
        if fault != .takesLate { try Task.checkCancellation() }
        guard let typed else {
            if fault == .noResets { try count { _ in 0 } }
            throw AuthError(.declined, "the person said no")
        }
        try await counted()
        if fault == .releasesEarly { try await opening(Self.key) }
        guard hash(typed) == kept.hash else {
            let shown = fault == .showsTyped ? typed.revealText() : "it"
            throw AuthError(.refused(.wrongInput), "\(shown) is wrong")
        }
        try count { _ in 0 }
        memory.isOpen.withLock { $0 = true }
        return try await grant(fault == .datedEarly ? begin : context.clock.now(), opening)
    }

    private func grant(
        _ time: MonotonicInstant, _ opening: @Sendable (UnlockKey) async throws -> Void
    ) async throws -> UnlockGrant {
        do { try await opening(Self.key) } catch let error as AuthError {
            guard fault == .troubleIsWrong else { throw error }
            throw AuthError(.refused(.wrongInput), "it opens nothing")
        }
        return UnlockGrant(provenAt: time, method: "pin")
    }

    private func answer(_ reason: String) async throws -> Secret? {
        if fault == .leavesOpen {
            let (answers, continuation) = AsyncThrowingStream<Secret?, any Error>.makeStream()
            Task {
                do {
                    continuation.yield(try await ask(reason))
                    continuation.finish()
                } catch { continuation.finish(throwing: error) }
            }
            for try await answer in answers { return answer }
            throw CancellationError()
        }
        do { return try await ask(reason) } catch let error as AuthError {
            guard fault == .failureIsNo else { throw error }
            return nil
        }
    }

    private func counted() async throws {
        do {
            let held = fault == .skipsLock ? nil : try await lock()
            defer { held?.release() }
            try count { failures in
                guard failures < Self.limit else { throw Self.lockedOut }
                return failures + 1
            }
        } catch let error as FileError {
            guard fault == .fullForgives else { throw error }
        }
    }

    private static let lockedOut = AuthError(.unlockUnavailable(.lockedOut), "there were too many wrong PINs")
    private static let key = UnlockKey(.key(source: "test"), Secret("0123456789abcdef"))
}

// MARK: What is kept

extension TypedPIN {
    private struct Kept {
        var hash: Int64
        var failures: Int64
        var hint = ""
    }

    private var path: String { "\(directory)/pin" }
    private var day: Int64 { Int64(context.clock.wall().timeIntervalSince1970 / 86_400) }

    private func hash(_ typed: Secret) -> Int64 {
        let bytes = fault == .readsBeginning ? Array(typed.reveal().prefix(8)) : typed.reveal()
        return bytes.reduce(7_919) { ($0 ^ Int64($1)) &* 1_099_511_628_211 } >> 1 & .max
    }

    private func load() throws -> Kept? {
        let bytes: [UInt8]?
        do { bytes = try context.files.read(path, limit: 4_096) } catch {
            guard fault == .unreadableIsAbsent else { throw error }
            return nil
        }
        guard let bytes else { return nil }
        do {
            let document = JSONField(try JSON.parse(bytes))
            var failures = try document["failures"].integer()
            let hash = try document["hash"].integer()
            let (day, boot) = (try document["day"].integer(), try document["boot"].string())
            guard failures >= 0, hash >= 0, day >= 0 else { throw AuthError(.store(.damaged), "a number is wrong") }
            if fault == .forgetsByDay, day != self.day { failures = 0 }
            if fault == .forgetsAtRestart, boot != context.clock.boot { failures = 0 }
            if fault == .countsInMemory { failures = memory.failures.withLock { $0 } }
            return Kept(hash: hash, failures: failures)
        } catch {
            guard fault == .damagedIsNew else { throw AuthError(.unlockUnavailable(.invalidated), "it is damaged") }
            return Kept(hash: 0, failures: 0)
        }
    }

    private func count(_ change: (Int64) throws -> Int64) throws {
        guard var kept = try load() else { return }
        kept.failures = try change(kept.failures)
        if fault == .countsInMemory { return memory.failures.withLock { $0 = kept.failures } }
        try write(kept)
    }

    private func write(_ kept: Kept) throws {
        let document: JSON = [
            "hash": .integer(kept.hash), "failures": .integer(kept.failures), "day": .integer(day),
            "boot": .string(context.clock.boot), "hint": .string(kept.hint),
        ]
        try context.files.makeDirectory(directory)
        let new = "\(path).\(context.randomName())"
        try context.files.writeNew(new, document.serialized())
        try context.files.rename(new, to: path)
        try context.files.syncDirectory(directory)
    }

    private func lock() async throws -> any FileLock {
        while true {
            if let lock = try context.files.lock("\(directory)/lock", sharing: false) { return lock }
            try await context.clock.sleep(until: context.clock.now() + .milliseconds(1))
        }
    }
}
