/// Sees what happens. Called on whatever task it happens, on several at once; must return quickly, and must not call
/// the client.
public protocol AuthObserver: Sendable {
    /// Takes note.
    func observe(_ observation: AuthObservation)
}

/// What happened, in types. No case carries free text, so none can carry a secret.
@nonexhaustive
public enum AuthObservation: Hashable, Sendable {
    /// A request was made. `origin` is scheme, host and port; `status` is `nil` when no answer came.
    case request(method: String, origin: String, status: Int?, took: Duration)
    /// A request is about to be sent again, after a wait; `status` is that of the answer before. By ``Retrying``.
    case retry(method: String, origin: String, status: Int?, wait: Duration)
    /// A refresh ended.
    case refresh(ProviderID, RefreshOutcome, took: Duration)
    /// The store was used.
    case store(StoreKey.Kind, StoreOperation, StoreOutcome, took: Duration)
    /// Somebody signed in, or failed to; the code says why.
    case signIn(ProviderID, SignInMethod.Kind?, failure: AuthError.Code?)
    /// Somebody signed out, and the service knows it, or does not yet.
    case signOut(ProviderID, RevocationOutcome)
    /// The gate changed.
    case gate(locked: Bool)

    /// How a refresh ended.
    @nonexhaustive
    public enum RefreshOutcome: String, Sendable {
        /// A new token, stored.
        case refreshed
        /// Somebody else had refreshed it.
        case adopted
        /// A new token that could not be stored yet.
        case notDurable
        /// The request surely did not leave.
        case notSent
        /// No answer, or one that decides nothing.
        case unknown
        /// The service refused for good.
        case refused
        /// The service refused without a reason.
        case unexplained
        /// Somebody signed out meanwhile.
        case signedOut
        /// The lane was not to be had in time.
        case busy
        /// The mark could not be stored, so nothing was sent.
        case storeFailed
        /// Waiting until an earlier request can no longer arrive.
        case heldOff
    }

    /// What was done with the store.
    public enum StoreOperation: String, Sendable {
        /// See ``SessionStore``.
        case read, replace, keys, lane
    }

    /// How it ended.
    public enum StoreOutcome: String, Sendable {
        /// It worked.
        case done
        /// Somebody else was first.
        case conflict
        /// It failed.
        case failed
    }

    /// What became of a revocation.
    public enum RevocationOutcome: String, Sendable {
        /// The service knows.
        case done
        /// It waits in the record and is tried again.
        case queued
        /// The service offers none.
        case notOffered
        /// Too many were waiting; it is given up.
        case givenUp
    }
}

/// Sees nothing.
public struct SilentObserver: AuthObserver {
    /// An observer that does nothing.
    public init() {}

    /// Does nothing.
    public func observe(_ observation: AuthObservation) {}
}
