import LatchkeySystem

/// The sign-ins that wait for an answer to a challenge, to tell what became of each and how long it took.
///
/// It is in memory: of a challenge that another process answers, nothing is told there.
final class SignInAttempts: Sendable {
    struct Attempt: Sendable {
        var provider: ProviderID
        var method: SignInMethod.Kind?
        /// What it is if the person is signed in already; `nil` for a sign-in.
        var proof: AuthObservation.FurtherProof?
        var since: MonotonicInstant
    }

    /// So many may wait; the oldest is forgotten for a further one. It is more than the store keeps challenges.
    static let bound = 64
    private let waiting = Locked<[String: Attempt]>([:])
    private let context: PluginContext

    init(_ context: PluginContext) { self.context = context }

    func attempt(_ provider: ProviderID, _ request: SignInRequest) -> Attempt {
        Attempt(
            provider: provider, method: request.method?.kind, proof: request.proof, since: context.clock.now())
    }

    /// The attempt that waits for an answer to `challenge`.
    func attempt(waitingFor challenge: String) -> Attempt? { waiting.withLock { $0[challenge] } }

    /// Notes what a step brought, and tells if the sign-in has ended with it.
    ///
    /// - Parameter answered: The challenge that the step answered.
    func note(_ step: SignInStep, of attempt: Attempt, answering answered: String? = nil) {
        waiting.withLock { waiting in
            if let answered { waiting[answered] = nil }
            guard case .asked(let challenge) = step else { return }
            if waiting.count >= Self.bound, let oldest = waiting.min(by: { $0.value.since < $1.value.since }) {
                waiting[oldest.key] = nil
            }
            waiting[challenge.id] = attempt
        }
        if case .asked = step { return }
        tellEnd(of: attempt, failure: nil)
    }

    /// Notes that an answer failed. If it was refused, the attempt counts as failed, though another answer may follow.
    /// After any other failure the challenge waits as before.
    func note(_ failure: AuthError.Code, of attempt: Attempt, answering challenge: String) {
        switch failure {
        case .declined, .refused(.expired): waiting.withLock { $0[challenge] = nil }
        case .refused, .untrusted: break
        default: return
        }
        tellEnd(of: attempt, failure: failure)
    }

    func tellEnd(of attempt: Attempt, failure: AuthError.Code?) {
        let took = context.clock.now() - attempt.since
        guard let proof = attempt.proof else {
            return context.observer.observe(.signIn(attempt.provider, attempt.method, failure: failure, took: took))
        }
        context.observer.observe(
            .furtherProof(proof, attempt.provider, attempt.method, failure: failure, took: took))
    }
}
