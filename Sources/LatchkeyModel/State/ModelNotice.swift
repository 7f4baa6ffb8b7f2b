public import Latchkey

/// An error as the person reads it: what happened, what to do, and what to press.
public struct ModelNotice: Hashable, Sendable {
    /// A button.
    public enum Press: String, CaseIterable, Hashable, Sendable {
        /// Does the same again: ``AuthModel/submit()``, ``AuthModel/answer()`` or ``AuthModel/tryAgain()``.
        case tryAgain
        /// Shows the form.
        case signIn
        /// Calls ``AuthModel/unlock(with:)``.
        case unlock
        /// Calls ``AuthModel/unlock(with:)`` with the fallback.
        case unlockOtherWay
        /// Calls ``AuthModel/startOver()``: ends every session here, so that the person can sign in again.
        case startOver
        /// Calls ``AuthModel/resend()``.
        case resend
        /// Goes back to the input.
        case correct
        /// Calls ``AuthModel/dismissNotice()``.
        case dismiss
    }

    /// The error.
    public let error: AuthError

    /// Creates the notice of an error.
    public init(_ error: AuthError) { self.error = error }

    /// Returns what happened: one sentence, without a full stop.
    public func text(in language: TextLanguage = .system) -> String { error.text(in: language) }

    /// Returns what to do about it: one sentence, without a full stop. After too many wrong tries it says how long to wait, as
    /// it was when the error came.
    public func guidance(in language: TextLanguage = .system) -> String {
        guard error.code == .unlockUnavailable(.lockedOut), let rest = error.retryAfter else {
            return ModelTexts.guidance(error.code, in: language)
        }
        // Rounded up, so that the person is not sent too early.
        let seconds = rest.components.seconds + (rest.components.attoseconds > 0 ? 1 : 0)
        let (key, count) = seconds < 120 ? ("seconds", seconds) : ("minutes", (seconds + 59) / 60)
        return ModelTexts.table.text("guidance.lockedOut.\(key)", in: language, ["count": "\(count)"])
    }

    /// What to press, the likeliest first. There is always something.
    public var presses: [Press] {
        switch error.code {
        case .signInRequired(.banned): [.dismiss]
        case .signInRequired: [.signIn, .dismiss]
        case .offline, .serviceTrouble, .rateLimited, .busy: [.tryAgain, .dismiss]
        case .locked: [.unlock, .dismiss]
        case .unlockUnavailable(.invalidated): otherWay + [.startOver, .dismiss]
        case .unlockUnavailable: otherWay + [.tryAgain, .startOver]
        case .refused(.wrongInput), .refused(.passwordNotAccepted), .refused(.captcha): otherWay + [.correct, .dismiss]
        case .refused(.expired): [.resend, .signIn, .dismiss]
        case .refused, .declined: otherWay + [.signIn, .dismiss]
        case .store(.notDurable): [.dismiss]
        case .store(.damaged): [.signIn, .tryAgain]
        case .store(.tampered), .store(.rolledBack), .store(.newerVersion): [.dismiss]
        case .store: [.tryAgain, .dismiss]
        case .configuration, .untrusted, .cancelled: [.dismiss]
        @unknown default: [.dismiss]
        }
    }

    private var otherWay: [Press] { error.offersFallback ? [.unlockOtherWay] : [] }

    /// Returns the words for a button.
    public static func text(_ press: Press, in language: TextLanguage = .system) -> String {
        ModelTexts.table.text("press.\(press.rawValue)", in: language)
    }
}
