import LatchkeyLocked

/// What stands between the app and the sessions: locked or open, by policy.
///
/// Whether it is open is a single instant in the ``AccountTable``, so that reading a token compares and never asks.
/// Only ``open(_:)`` prompts, and only when the app calls for it.
final class Gate: Sendable {
    let authenticator: (any UnlockAuthenticator)?
    let policy: UnlockPolicy
    private let reason: String
    private let prompting = Locked<Flight<UnlockGrant>?>(nil)
    private let backgroundSince = Locked<MonotonicInstant?>(nil)

    /// A gate that is always open.
    init() {
        authenticator = nil
        policy = UnlockPolicy(atLaunch: false)
        reason = ""
    }

    init(_ authenticator: any UnlockAuthenticator, reason: String, policy: UnlockPolicy) {
        self.authenticator = authenticator
        self.reason = reason
        self.policy = policy
    }

    /// Until when the gate is open at launch.
    var initially: MonotonicInstant {
        MonotonicInstant(nanoseconds: authenticator != nil && policy.atLaunch ? .min : .max)
    }

    /// Asks for the proof and opens. Callers that come while a prompt is up share it.
    func open(_ engine: Engine) async throws(AuthError) {
        guard let authenticator else { return }
        let (flight, isFirst) = prompting.withLock { prompting in
            if let flight = prompting { return (flight, false) }
            let flight = Flight<UnlockGrant>()
            prompting = flight
            return (flight, true)
        }
        if isFirst {
            engine.context.start("unlock") { [self] in
                let result = await ask(authenticator, engine)
                prompting.withLock { $0 = nil }
                flight.land(result)
            }
        }
        _ = try await flight.value()
    }

    private func ask(_ authenticator: any UnlockAuthenticator, _ engine: Engine) async -> Result<UnlockGrant, AuthError>
    {
        do {
            switch await authenticator.availability() {
            case .available: break
            case .notEnrolled:
                throw AuthError(.unlockUnavailable(.notEnrolled), "No way to unlock has been set up.")
            case .lockedOut(let rest):
                throw AuthError(.unlockUnavailable(.lockedOut), "Too many wrong tries.", retryAfter: rest)
            case .invalidated:
                throw AuthError(.unlockUnavailable(.invalidated), "What was set up to unlock has changed since.")
            case .missing(let reason): throw AuthError(.unlockUnavailable(.missing), reason)
            }
            let prompt = UnlockPrompt(reason: reason)
            let grant: UnlockGrant
            if let releasing = authenticator as? any KeyReleasing, let store = engine.store as? any LockableStore {
                grant = try await releasing.unlock(prompt) { try await store.open(with: $0) }
            } else {
                grant = try await authenticator.unlock(prompt)
            }
            let until = policy.interval.map { grant.provenAt + $0 } ?? MonotonicInstant(nanoseconds: .max)
            engine.table.openUntil = until
            engine.alarm.set(.gate, at: policy.interval == nil ? nil : until)
            engine.context.observer.observe(.gate(locked: false))
            engine.hub.tell(.unlocked)
            return .success(grant)
        } catch {
            return .failure(AuthError(error))
        }
    }

    /// Locks: no token leaves, and what a key protects is dropped from memory.
    func close(_ engine: Engine) async {
        guard authenticator != nil else { return }
        let wasOpen = engine.clock.now() < engine.table.openUntil
        engine.table.openUntil = MonotonicInstant(nanoseconds: .min)
        engine.alarm.set(.gate, at: nil)
        if let store = engine.store as? any LockableStore {
            await store.close()
            engine.table.dropTokens()
        }
        guard wasOpen else { return }
        engine.context.observer.observe(.gate(locked: true))
        engine.hub.tell(.locked)
    }

    /// The app went out of sight, or came back; locks when it was away longer than the policy allows.
    func background(_ isInBackground: Bool, _ engine: Engine) async {
        let now = engine.clock.now()
        let since = backgroundSince.withLock { since -> MonotonicInstant? in
            defer { since = isInBackground ? since ?? now : nil }
            return since
        }
        guard !isInBackground, let since, let limit = policy.afterBackground, now - since >= limit else { return }
        await close(engine)
    }
}
