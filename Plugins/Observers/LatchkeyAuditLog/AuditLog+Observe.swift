public import Latchkey
import LatchkeySystem

/// What a client tells by itself.
///
/// | The client tells | The log says |
/// | --- | --- |
/// | a sign-in ended | `signIn` with provider and method: `done`, `refused` or `failed` with the error's code |
/// | an account's session is there | `signedIn` with the account. Each process that shares the store says it |
/// | a way to sign in or a factor was added, or was not | `link` with provider and method, as for `signIn` |
/// | a stronger proof was given, or was not | `stepUp` with provider, as for `signIn` |
/// | an account was signed out | `signedOut` with the account and by what |
/// | the service was told of a sign-out | `revocation` with provider and outcome |
/// | the service refused a refresh | `refresh` with provider and outcome |
/// | the person must sign in again, or prove more | `signInRequired` with the reason, `stepUpRequired` |
/// | the client was locked or opened, or its proof has changed | `locked`, `unlocked`, `unlockInvalidated` |
/// | a proof was wrong, or not asked for after too many wrong ones | `unlockRefused`, `lockedOut` |
/// | every session was ended because nobody could give the proof | `startedOver` |
///
/// Nothing is said of requests, of the store, of refreshes that were not refused, and of the current account, which
/// every start tells: they are many, and `LogObserver` and `MetricsObserver` have most of them.
extension AuditLog: AuthEventObserving {
    /// Takes note of an observation. Never waits.
    public func observe(_ observation: AuthObservation) { AuditEvent(observation).map(note) }

    /// Takes note of an event. Never waits.
    public func observe(_ event: AuthEvent) { AuditEvent(event).map(note) }

    private func note(_ event: AuditEvent) {
        let reading = LogTime.Reading(context.clock)
        let begins = pending.withLock { state in
            if state.events.count < Self.mostPending {
                state.events.append((event, reading))
            } else {
                state.dropped += 1
            }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if begins { context.start("audit log") { [self] in await writeAll() } }
    }

    /// Writes until nothing waits. After a failure it stops, and the next event begins again.
    private func writeAll() async {
        var failed = false
        while !pending.withLock({ state in
            state.isWriting = !failed && (!state.events.isEmpty || state.dropped > 0)
            return !state.isWriting
        }) {
            do { try await flush() } catch { failed = true }
        }
    }
}

extension AuthClient.Builder {
    /// Writes what the client does into `log`. Call ``AuditLog/flush()`` before your program ends.
    public func auditLog(_ log: AuditLog) -> AuthClient.Builder { observer(log) }
}

extension AuditEvent {
    fileprivate init?(_ observation: AuthObservation) {
        switch observation {
        case .signIn(let provider, let method, let failure, _):
            self.init(
                .signIn, at: provider, method: method, result: Result(failure), reason: failure.map(AuditReason.error))
        case .furtherProof(let what, let provider, let method, let failure, _):
            self.init(
                what == .link ? .link : .stepUp, at: provider, method: method, result: Result(failure),
                reason: failure.map(AuditReason.error))
        case .signOut(let provider, let outcome):
            let result: Result =
                switch outcome {
                case .done: .done
                case .queued: .open
                default: .failed
                }
            self.init(.revocation, at: provider, result: result, reason: .revocation(outcome))
        case .refresh(let provider, let outcome, _):
            guard outcome == .refused || outcome == .unexplained else { return nil }
            self.init(.refresh, at: provider, result: .refused, reason: .refresh(outcome))
        case .gate(let locked): self.init(locked ? Action.locked : Action.unlocked)
        case .unlock(_, _, failure: .unlockUnavailable(.lockedOut)?, _): self.init(.lockedOut, result: .refused)
        case .unlock(_, _, failure: .refused(let why)?, _):
            self.init(.unlockRefused, result: .refused, reason: .error(.refused(why)))
        case .startedOver: self.init(.startedOver)
        default: return nil
        }
    }

    fileprivate init?(_ event: AuthEvent) {
        switch event {
        case .signedIn(let account): self.init(.signedIn, of: account)
        case .signedOut(let account, let cause): self.init(.signedOut, of: account, reason: .signOut(cause))
        case .authenticationRequired(let account, let reason):
            self.init(.signInRequired, of: account, reason: .signInRequired(reason))
        case .stepUpRequired(let account, _): self.init(.stepUpRequired, of: account)
        case .unlockAvailabilityChanged(.lockedOut): self.init(.lockedOut, result: .refused)
        case .unlockAvailabilityChanged(.invalidated): self.init(Action.unlockInvalidated)
        default: return nil
        }
    }
}

extension AuditEvent.Result {
    fileprivate init(_ failure: AuthError.Code?) {
        switch failure {
        case nil: self = .done
        case .refused, .declined, .untrusted: self = .refused
        default: self = .failed
        }
    }
}
