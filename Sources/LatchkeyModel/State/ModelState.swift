public import FoundationEssentials
public import Latchkey

/// Who is signed in, as a screen needs to know it.
@nonexhaustive
public enum ModelState: Hashable, Sendable {
    /// The store is being read. Show that the app is loading, and neither content nor the form.
    case restoring
    /// The store could not be read, so who is signed in is unknown. ``AuthModel/notice`` says what
    /// to press. Signing in is possible.
    case unavailable
    /// Nobody is signed in.
    case signedOut
    /// The sessions are locked: ``AuthModel/unlock(with:)``.
    case locked
    /// The current account is signed in.
    case signedIn
    /// The current account is signed in, and the service cannot be reached. Access lasts until the
    /// date; `nil` means that it has ended.
    case offline(until: Date?)
    /// The current account must sign in again.
    case signInAgain(because: AuthError.SignInRequiredReason)

    /// The state's name in the ``ModelTable``.
    public var phase: ModelPhase {
        switch self {
        case .restoring: .restoring
        case .unavailable: .unavailable
        case .signedOut: .signedOut
        case .locked: .locked
        case .signedIn: .signedIn
        case .offline: .offline
        case .signInAgain: .signInAgain
        }
    }
}

extension ModelState {
    /// What is found when the client can say who is signed in.
    init(current: Account?, isLocked: Bool) {
        if isLocked {
            self = .locked
            return
        }
        switch current?.state {
        case nil, .signedOut: self = .signedOut
        case .locked: self = .locked
        case .offline(_, let until): self = .offline(until: until)
        case .signInRequired(let reason): self = .signInAgain(because: reason)
        case .restoring, .fresh, .stale: self = .signedIn
        @unknown default: self = .signedIn
        }
    }

    /// The trigger that leads to this state.
    var trigger: ModelTrigger {
        switch self {
        case .restoring: .triedAgain
        case .unavailable: .foundUnreadable
        case .signedOut: .foundNobody
        case .locked: .foundLocked
        case .signedIn: .foundSession
        case .offline: .foundOffline
        case .signInAgain: .foundEnded
        }
    }
}
