/// Observes what a client does.
///
/// The client calls it on the task where something happens, on several tasks at once. It must
/// return quickly and must not call the client.
public protocol AuthObserver: Sendable {
    /// Receives one observation.
    func observe(_ observation: AuthObservation)
}

/// One thing that happened. No case carries free text, so none can carry a secret.
@nonexhaustive
public enum AuthObservation: Hashable, Sendable {
    /// A request was made. `origin` is scheme, host and port; `status` is `nil` when no answer came.
    case request(method: String, origin: String, status: Int?, took: Duration)
    /// ``Retrying`` is about to send a request again after a wait. `status` is that of the previous answer.
    case retry(method: String, origin: String, status: Int?, wait: Duration)
    /// A refresh ended.
    case refresh(ProviderID, RefreshOutcome, took: Duration)
    /// A request waits so long, because an earlier one with the same refresh token may still be under way.
    case heldOff(ProviderID, wait: Duration)
    /// A resource, or the service itself, refused a request for lack of authorization. See ``RefusalCause``.
    case refusal(OriginClass, RefusalCause)
    /// The store was used.
    case store(StoreKey.Kind, StoreOperation, StoreOutcome, took: Duration)
    /// A use of the store failed for this reason. It is also observed as ``store(_:_:_:took:)``.
    case storeFailure(StoreKey.Kind, StoreOperation, AuthError.Code)
    /// Work on a credential waited for its turn.
    case lockWait(Lock, LockOutcome, took: Duration)
    /// A sign-in ended; `failure` says why it failed. `took` counts from its beginning, with the time that the person
    /// and the service took.
    case signIn(ProviderID, SignInMethod.Kind?, failure: AuthError.Code?, took: Duration)
    /// A person who is signed in added a way to sign in or a factor, or gave a stronger proof; `failure` says why that
    /// failed. The method is the one that was added. `took` counts as that of a sign-in.
    case furtherProof(FurtherProof, ProviderID, SignInMethod.Kind?, failure: AuthError.Code?, took: Duration)
    /// The person must sign in again, and did not sign out. With `notAccepted`, the session goes on.
    case signInRequired(ProviderID, AuthError.SignInRequiredReason)
    /// Somebody signed in after a sign-in had been required for this reason; `after` says how much later.
    case reauthentication(AuthError.SignInRequiredReason, by: Returning, after: Duration)
    /// The client handed out its first token. `took` counts from when it was built, with the time until the person
    /// unlocked it. Observed once for each client.
    case firstToken(TokenSource, took: Duration)
    /// An account was signed out, with the outcome at the service.
    case signOut(ProviderID, RevocationOutcome)
    /// The sessions were locked or unlocked.
    case gate(locked: Bool)
    /// A prompt for the unlock ended; `failure` says why it failed. The kind is known only of a proof that was given.
    case unlock(UnlockChoice, UnlockKind?, failure: AuthError.Code?, took: Duration)
    /// Every session here was ended, because nobody could give the proof (``AuthClient/startOver()``).
    case startedOver
    /// A host has pins (``HostPins``), and its connection is not as they say. `seen` is the key that it presented;
    /// `nil` if that is not known, or if the pins have expired.
    case pins(host: String, PinOutcome, seen: PublicKeyPin?)
    /// A refresh brought an ID token that was not used. The session keeps the one that it had, and the new tokens.
    case idTokenPassedOver(ProviderID, IDTokenFault)
    /// ``AuthClient/checkIntegrity(by:)`` found a sign of this kind that another program interferes.
    case integrity(IntegrityFinding.Kind)

    /// How a refresh ended.
    @nonexhaustive
    public enum RefreshOutcome: String, Sendable {
        /// A new token was issued and stored.
        case refreshed
        /// Another client or process had already refreshed it.
        case adopted
        /// A new token was issued, but could not be stored yet.
        case notDurable
        /// The request certainly was not sent.
        case notSent
        /// No answer came, or one that decides nothing.
        case unknown
        /// The answer's refresh token is stored, and nothing else of it is used: it disagrees with
        /// the session, or cannot be read.
        case unusable
        /// The service refused for good.
        case refused
        /// The service refused without a reason.
        case unexplained
        /// The account was signed out in the meantime.
        case signedOut
        /// The refresh lock was not free in time.
        case busy
        /// The refresh could not be noted in the store first, so nothing was sent.
        case storeFailed
        /// The refresh waits until an earlier request can no longer arrive.
        case heldOff
    }

    /// An operation on the store.
    public enum StoreOperation: String, Sendable {
        /// See ``SessionStore``.
        case read, replace, keys, lock
        /// Following what other processes do: ``WatchableStore``. It failed where the system has no watch left; then changes
        /// of others are seen when a token is asked for.
        case watch
    }

    /// How a store operation ended.
    public enum StoreOutcome: String, Sendable {
        /// It worked.
        case done
        /// Another writer was first.
        case conflict
        /// It failed.
        case failed
    }

    /// What was done about pins that do not fit.
    @nonexhaustive
    public enum PinOutcome: String, Sendable {
        /// The key is not pinned. Nothing was sent.
        case refused
        /// The key is not pinned. The request went on, because the pins are only reported.
        case reported
        /// The pins have expired and no longer count. Observed once per host and transport: release a build with
        /// new ones.
        case expired
    }

    /// How a revocation ended.
    public enum RevocationOutcome: String, Sendable {
        /// The service confirmed it.
        case done
        /// It is stored and will be tried again.
        case queued
        /// The service offers no revocation.
        case notOffered
        /// The service refuses this client the revocation, and is not asked again.
        case refused
        /// Too many revocations were waiting, so this one was dropped.
        case givenUp
        /// It was not sent, because it might have ended a newer session (``RevocationReaching``). The tokens of the older
        /// session expire.
        case leftToExpire
    }
}

/// An observer that ignores everything.
public struct SilentObserver: AuthObserver {
    /// Creates an observer that does nothing.
    public init() {}

    /// Does nothing.
    public func observe(_ observation: AuthObservation) {}
}
