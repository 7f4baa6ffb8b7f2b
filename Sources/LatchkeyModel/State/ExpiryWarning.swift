public import Latchkey

/// The access or the session of the current account ends soon. If ``remedy`` is `refresh`,
/// ``AuthModel/staySignedIn()`` prolongs it; if it is `signIn`, only a new sign-in does.
public struct ExpiryWarning: Hashable, Sendable {
    /// The account.
    public var account: AccountID
    /// When its access ends, by the context's clock.
    public var end: MonotonicInstant
    /// What ends.
    public var cause = Expiry.Cause.access

    /// What to offer.
    public var remedy: Expiry.Remedy { Expiry(cause, in: .zero).remedy }

    /// Returns one sentence for the person, with the minutes left, rounded up.
    public func text(at now: MonotonicInstant, in language: TextLanguage = .system) -> String {
        let minutes = (max(end - now, .zero).components.seconds + 59) / 60
        // The session goes on after its access has ended, if it can be refreshed then.
        let what = cause == .access ? "expiry.access" : "expiry"
        return ModelTexts.table.text(
            minutes > 1 ? "\(what).minutes" : "\(what).minute", in: language, ["count": "\(minutes)"])
    }
}
