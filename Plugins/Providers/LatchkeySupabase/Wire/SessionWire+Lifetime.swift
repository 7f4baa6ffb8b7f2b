import FoundationEssentials
import Latchkey
import LatchkeyJSON

// The service counts in whole seconds and drops the rest: a token of one hour expires up to a
// second before an hour has passed since its request. With `expires_in` alone, the client would use
// a token in that second that the service refuses. The code below uses only readings of the
// service's clock, so the clock of this device may be wrong.

extension SessionAnswer {
    /// Returns the earliest of the instants, in whole UNIX seconds. Values that are not plausible
    /// instants are left out.
    static func earliest(_ instants: JSON?...) -> Int64? { instants.compactMap { $0.flatMap(seconds) }.min() }

    private static func seconds(_ instant: JSON) -> Int64? {
        guard let number = instant.number, (1...32_503_680_000).contains(number) else { return nil }
        return Int64(number)
    }

    /// Returns the access token as received now.
    func token(in context: ProviderContext) -> AccessToken {
        var lifetime = context.lifetime(lasts)
        if let endsAt, let reading = seenAt ?? issuedAt {
            // The service's clock may have shown this second for up to a second.
            lifetime = context.lifetime(min(lasts, .seconds(endsAt - reading - 1)))
            lifetime.wall = Date(timeIntervalSince1970: Double(reading))
        }
        return AccessToken(access, lifetime: lifetime)
    }

    /// When the service made the access token, by its own clock. The token's own `iat` comes first,
    /// because a hook of the project may shorten the token without a word in the answer.
    private var issuedAt: Int64? {
        guard let endsAt else { return nil }
        if let issued = claims.json["iat"].flatMap(Self.seconds), issued < endsAt { return issued }
        return endsAt - lasts.components.seconds
    }

    /// Reads the service's clock from an answer that came after the access token was made.
    mutating func see(_ response: TransportResponse, _ context: ProviderContext) {
        guard let text = response.fields["Date"] else { return }
        let date = HTTPDate.read(text, now: context.world.clock.wall())
        seenAt = date.map { Int64($0.timeIntervalSince1970) }
    }
}
