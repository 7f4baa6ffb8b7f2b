public import FoundationEssentials

/// What an answer says about the service's clock
/// ([RFC 9110, section 6.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-6.6.1)).
public enum ServerClock {
    /// How far the service's clock is ahead of the wall clock here; `nil` without a readable `Date`.
    ///
    /// `Date` has whole seconds, so half a second is added: the error is half a second and half the round trip.
    ///
    /// - Parameters:
    ///   - fields: The answer's.
    ///   - wall: The wall clock when the answer came.
    ///   - roundTrip: How long request and answer took.
    public static func offset(_ fields: HeaderFields, wall: Date, roundTrip: Duration = .zero) -> Duration? {
        guard let text = fields["Date"], let date = HTTPDate.read(text, now: wall) else { return nil }
        return .seconds(date.timeIntervalSince(wall) + 0.5) + roundTrip / 2
    }
}
