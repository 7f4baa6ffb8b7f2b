import FoundationEssentials
import Latchkey
import LatchkeyJSON

// The service counts in whole seconds and cuts the rest off: a token of one hour ends up to a second before an hour has
// gone by since its request. Counting `expires_in` alone would hand out for that second what the service refuses. All
// that is used here are readings of the service's clock, so that the clock of this device may be wrong.

extension SessionAnswer {
    /// The earliest of the instants, in whole UNIX seconds; what is none, or not of our time, is left out.
    static func earliest(_ instants: JSON?...) -> Int64? { instants.compactMap { $0.flatMap(seconds) }.min() }

    private static func seconds(_ instant: JSON) -> Int64? {
        guard let number = instant.number, (1...32_503_680_000).contains(number) else { return nil }
        return Int64(number)
    }

    /// The access token, received now.
    func token(in context: ProviderContext) -> AccessToken {
        var lifetime = context.lifetime(lasts)
        if let endsAt, let reading = seenAt ?? issuedAt {
            // The clock showed this second until up to a second later.
            lifetime = context.lifetime(min(lasts, .seconds(endsAt - reading - 1)))
            lifetime.wall = Date(timeIntervalSince1970: Double(reading))
        }
        return AccessToken(access, lifetime: lifetime)
    }

    /// When the service made the access token, by its own clock; what the token itself says comes first, as a hook of
    /// the project may shorten it without a word in the answer.
    private var issuedAt: Int64? {
        guard let endsAt else { return nil }
        if let issued = claims.json["iat"].flatMap(Self.seconds), issued < endsAt { return issued }
        return endsAt - lasts.components.seconds
    }

    /// Takes the service's clock from an answer that came after the access token was made.
    mutating func see(_ response: TransportResponse, _ context: ProviderContext) {
        guard let text = response.fields["Date"] else { return }
        let date = HTTPDate.read(text, now: context.world.clock.wall())
        seenAt = date.map { Int64($0.timeIntervalSince1970) }
    }
}
