public import FoundationEssentials

/// The service's clock, as an answer shows it ([RFC 9110, section
/// 6.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-6.6.1)).
public enum ServerClock {
    /// Returns how far the service's clock is ahead of this machine's wall clock; `nil` without a
    /// readable `Date`.
    ///
    /// `Date` has whole seconds, so half a second is added. The error is at most half a second plus
    /// half the round trip.
    ///
    /// - Parameters:
    ///   - fields: The answer's header fields.
    ///   - wall: The wall clock when the answer arrived.
    ///   - roundTrip: How long the request and its answer took.
    public static func offset(_ fields: HeaderFields, wall: Date, roundTrip: Duration = .zero) -> Duration? {
        guard let text = fields["Date"], let date = HTTPDate.read(text, now: wall) else { return nil }
        return .seconds(date.timeIntervalSince(wall) + 0.5) + roundTrip / 2
    }
}
