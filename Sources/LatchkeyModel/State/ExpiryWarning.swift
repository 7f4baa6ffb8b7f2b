public import Latchkey

/// The access of the current account ends soon and could not be prolonged so far:
/// ``AuthModel/staySignedIn()`` tries again.
public struct ExpiryWarning: Hashable, Sendable {
    /// The account.
    public var account: AccountID
    /// When its access ends, by the context's clock.
    public var end: MonotonicInstant

    /// Returns one sentence for the person, with the minutes left, rounded up.
    public func text(at now: MonotonicInstant, in language: TextLanguage = .system) -> String {
        let minutes = (max(end - now, .zero).components.seconds + 59) / 60
        return ModelTexts.table.text(
            minutes > 1 ? "expiry.minutes" : "expiry.minute", in: language, ["count": "\(minutes)"])
    }
}
