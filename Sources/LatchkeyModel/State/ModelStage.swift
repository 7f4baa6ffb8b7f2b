public import Latchkey

/// What the person and the service say to one another at the moment: which screen of a sign-in to show.
@nonexhaustive
public enum ModelStage: Sendable {
    /// The form: ``AuthModel/form``.
    case form
    /// The form was sent; the service has not answered.
    case sending
    /// The service asks something.
    case asked(ChallengeScreen)
    /// The answer was sent; the service has not judged it.
    case answering(ChallengeScreen)
    /// The service wants a pause before the form is sent again: ``AuthModel/countdown``.
    case formPause
    /// The service wants a pause before the challenge is answered again: ``AuthModel/countdown``.
    case answerPause(ChallengeScreen)
    /// The conversation ended without a session, as intended; the person continues elsewhere.
    case elsewhere(Elsewhere)
    /// The person was signed in, or a way to sign in was added: ``AuthModel/successText``.
    case succeeded

    /// The stage's name in the ``ModelTable``.
    public var phase: ModelPhase {
        switch self {
        case .form: .form
        case .sending: .sending
        case .asked: .asked
        case .answering: .answering
        case .formPause: .formPause
        case .answerPause: .answerPause
        case .elsewhere: .elsewhere
        case .succeeded: .succeeded
        }
    }

    /// The challenge that is shown, if one is.
    public var challenge: ChallengeScreen? {
        switch self {
        case .asked(let screen), .answering(let screen), .answerPause(let screen): screen
        case .form, .sending, .formPause, .elsewhere, .succeeded: nil
        }
    }
}
