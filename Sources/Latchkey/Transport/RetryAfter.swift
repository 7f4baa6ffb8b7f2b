public import FoundationEssentials

/// How long to wait ([RFC 9110, section 10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)).
public enum RetryAfter {
    /// The longest wait that is believed: a day.
    public static let longest = Duration.seconds(86_400)

    /// The wait that an answer asks for, in seconds or until a date; `nil` where it asks for none that can be read.
    /// Never negative, at most ``longest``.
    ///
    /// - Parameters:
    ///   - fields: The answer's.
    ///   - now: By the service's clock. The answer's own `Date` is preferred.
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
