public import Latchkey

/// What became of an intent: of what the person pressed.
@nonexhaustive
public enum IntentResult: Hashable, Sendable {
    /// It was done. ``AuthModel/state`` and ``AuthModel/stage`` say what came of it.
    case done
    /// Another intent is under way, perhaps the same one after a double tap. Nothing was begun.
    case alreadyUnderWay
    /// It was cancelled, and what it might have brought is given up.
    case cancelled
    /// It is not possible now: nothing was begun. For example, the form is incomplete, or nothing
    /// is there to cancel.
    case notNow
    /// It failed. ``AuthModel/notice`` says so to the person.
    case failed(AuthError)
}
