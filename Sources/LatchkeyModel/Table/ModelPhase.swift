/// One state of the model, by name. The model is in two of them at any time: one of the
/// ``Region/session`` and one of the ``Region/conversation``.
public enum ModelPhase: String, CaseIterable, Hashable, Sendable {
    /// The store is being read.
    case restoring
    /// The store could not be read, so who is signed in is unknown.
    case unavailable
    /// Nobody is signed in.
    case signedOut
    /// The sessions are locked.
    case locked
    /// The current account is signed in.
    case signedIn
    /// The current account is signed in, and the service cannot be reached.
    case offline
    /// The current account must sign in again.
    case signInAgain

    /// Nothing is asked; the form can be filled in.
    case form
    /// The form was sent.
    case sending
    /// The service has asked something, and the person has not answered.
    case asked
    /// The answer was sent.
    case answering
    /// The service wants a pause before the form is sent again.
    case formPause
    /// The service wants a pause before the challenge is answered again.
    case answerPause
    /// The person continues elsewhere, for example in a mail.
    case elsewhere
    /// The person was signed in, and has not gone on.
    case succeeded

    /// The two independent halves of the model.
    public enum Region: String, CaseIterable, Hashable, Sendable {
        /// Who is signed in.
        case session
        /// What the person and the service say to one another.
        case conversation
    }

    /// The half that the phase belongs to.
    public var region: Region {
        switch self {
        case .restoring, .unavailable, .signedOut, .locked, .signedIn, .offline, .signInAgain: .session
        case .form, .sending, .asked, .answering, .formPause, .answerPause, .elsewhere, .succeeded: .conversation
        }
    }
}
