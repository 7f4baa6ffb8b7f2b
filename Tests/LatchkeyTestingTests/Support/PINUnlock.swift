import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// A PIN that takes three wrong proofs, its count kept for all instances. It breaks exactly one promise.
final class PINUnlock: KeyReleasing {
    enum Fault: String, CaseIterable, Sendable {
        case neverLocks, locksTooEarly, locksSilently, letsRightProofIn, countsInMemory, countsForEver, countsInTwoSteps
        case makesKeyAnew

        var clause: String {
            switch self {
            case .neverLocks, .locksTooEarly, .locksSilently:
                "after its limit of wrong proofs it is locked out, and says so"
            case .letsRightProofIn: "whoever is locked out is not let in by a right proof"
            case .countsInMemory: "wrong proofs are counted across instances"
            case .countsForEver: "a right proof begins the count anew"
            case .countsInTwoSteps: "two instances at once count each wrong proof"
            case .makesKeyAnew: "two instances at once give a grant each, and the same key"
            }
        }
    }

    /// What outlasts an instance.
    private final class Kept: Sendable {
        let failures = Locked(0)
        let instances = Locked(0)
    }

    static let limit = 3
    private let fault: Fault?
    private let situation: UnlockContract<PINUnlock>.Situation
    private let clock: any AuthClock
    private let kept: Kept
    private let number: Int
    /// The failures of this instance alone.
    private let own = Locked(0)

    convenience init(_ fault: Fault?, _ situation: UnlockContract<PINUnlock>.Situation, clock: any AuthClock) {
        self.init(fault, situation, clock, Kept())
    }

    private init(
        _ fault: Fault?, _ situation: UnlockContract<PINUnlock>.Situation, _ clock: any AuthClock, _ kept: Kept
    ) {
        (self.fault, self.situation, self.clock, self.kept) = (fault, situation, clock, kept)
        number = kept.instances.withLock { instances in
            instances += 1
            return instances
        }
    }

    func again(_ situation: UnlockContract<PINUnlock>.Situation) -> PINUnlock {
        PINUnlock(fault, situation, clock, kept)
    }

    private var isLocked: Bool {
        let limit = fault == .locksTooEarly ? Self.limit - 1 : Self.limit
        // The one that counts in memory has the others' count from its start.
        let failures = fault == .countsInMemory && number > 1 ? own.withLock { $0 } : kept.failures.withLock { $0 }
        return fault != .neverLocks && failures >= limit
    }

    func availability() -> UnlockAvailability {
        if situation == .unavailable { return .notEnrolled }
        return isLocked && fault != .locksSilently ? .lockedOut(nil) : .available
    }

    func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant {
        switch situation {
        case .unavailable: throw AuthError(.unlockUnavailable(.notEnrolled), "there is no PIN")
        case .declined: throw AuthError(.declined, "the person said no")
        case .unanswered: try await Latch().wait()
        case .right, .wrong: break
        }
        let isRight = situation == .right
        if isLocked, !(isRight && fault == .letsRightProofIn) {
            throw AuthError(.unlockUnavailable(.lockedOut), "there were too many wrong PINs")
        }
        guard !isRight else {
            if fault != .countsForEver { kept.failures.withLock { $0 = 0 } }
            return UnlockGrant(provenAt: clock.now(), method: "pin")
        }
        try await count()
        throw AuthError(.refused(.wrongInput), "the PIN is wrong")
    }

    private func count() async throws {
        own.withLock { $0 += 1 }
        if fault == .countsInTwoSteps {
            let failures = kept.failures.withLock { $0 }
            await Task.yield()
            return kept.failures.withLock { $0 = failures + 1 }
        }
        let isCounted = kept.failures.withLock { failures in
            guard failures < Self.limit || fault == .neverLocks else { return false }
            failures += 1
            return true
        }
        if !isCounted { throw AuthError(.unlockUnavailable(.lockedOut), "there were too many wrong PINs") }
    }

    func unlock(
        _ prompt: UnlockPrompt, opening: @escaping @Sendable (UnlockKey) async throws -> Void
    ) async throws -> UnlockGrant {
        let grant = try await unlock(prompt)
        try await opening(
            UnlockKey(.key(source: "test"), Secret("0123456789abcdef\(fault == .makesKeyAnew ? number : 0)")))
        return grant
    }
}
