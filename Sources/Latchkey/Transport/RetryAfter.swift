public import FoundationEssentials

/// The `Retry-After` field ([RFC 9110, section 10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)).
public enum RetryAfter {
    /// The longest wait that is accepted: one day.
    public static let longest = Duration.seconds(86_400)

    /// Returns the wait that an answer asks for, in seconds or until a date. `nil` if there is no
    /// readable field. Never negative, at most ``longest``.
    ///
    /// - Parameters:
    ///   - fields: The answer's header fields.
    ///   - now: The time by the service's clock. The answer's own `Date` takes precedence.
    public static func read(_ fields: HeaderFields, now: Date) -> Duration? {
        guard let text = fields["Retry-After"], text.utf8.count <= 64 else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Int64(text).map { min(.seconds($0), longest) } ?? longest
        }
        guard let date = HTTPDate.read(text, now: now) else { return nil }
        let answered = fields["Date"].flatMap { HTTPDate.read($0, now: now) } ?? now
        return min(.seconds(max(0, date.timeIntervalSince(answered))), longest)
    }
}
