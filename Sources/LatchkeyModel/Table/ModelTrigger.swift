/// What moves the model from one state to another.
public enum ModelTrigger: String, CaseIterable, Hashable, Sendable {
    /// The client has no account.
    case foundNobody
    /// The current account is signed in.
    case foundSession
    /// The current account is signed in, and its service could not be reached.
    case foundOffline
    /// The current account must sign in again.
    case foundEnded
    /// The client is locked.
    case foundLocked
    /// The store could not be read.
    case foundUnreadable
    /// The person wants the store read again.
    case triedAgain

    /// The person sent the form.
    case submitted
    /// The person answered the challenge, or wants the code or mail again.
    case answered
    /// The service asks something.
    case asked
    /// The service granted the session.
    case granted
    /// The conversation goes on elsewhere.
    case sentElsewhere
    /// The request failed; the form, or the challenge, can be used again.
    case failed
    /// The service wants fewer requests, and said how long to wait.
    case slowedDown
    /// The time to wait is over.
    case waited
    /// The challenge can no longer be answered: it has expired, or was used up.
    case challengeGone
    /// The challenge was answered in another window or process.
    case answeredElsewhere
    /// The person cancelled.
    case cancelled
    /// The person has seen the result and goes on.
    case dismissed
    /// The session of the result is over: it was signed out, here or elsewhere, or the person must sign in again.
    case sessionEnded
    /// A challenge of an earlier launch still waits for its answer.
    case resumed
}
