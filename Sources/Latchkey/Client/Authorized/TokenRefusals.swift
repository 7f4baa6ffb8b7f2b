import LatchkeySystem

/// Where a token was refused: its account, its audience, and the origin that refused it.
struct TokenPlace: Hashable, Sendable {
    var account: AccountID
    var audience: Audience
    var origin: String
}

/// Which token each origin got after it had refused another one. If it refuses that one too, there
/// is no third try.
///
/// Holds fingerprints, never tokens, and at most ``bound`` places. Forgetting a place costs one refresh.
final class TokenRefusals: Sendable {
    private struct Known {
        /// The refused token in whose place a newer one was asked for, until the place accepts another one.
        var asked: Int?
        /// The token that it got instead, until it accepts it.
        var successor: Int?
        /// Whether the app has been told that the successor is refused too.
        var isTold = false
    }

    private static let bound = 4_096
    private let places = Locked<[TokenPlace: Known]>([:])

    /// Notes that a newer token is asked for because the place refused `token`.
    func ask(insteadOf token: AccessToken, at place: TokenPlace) {
        let fingerprint = token.fingerprint
        change(place) { $0.asked = fingerprint }
    }

    /// Returns whether a newer token was asked for because the place refused `token`, and none was accepted since.
    func hasAsked(insteadOf token: AccessToken, at place: TokenPlace) -> Bool {
        known(place)?.asked == token.fingerprint
    }

    /// Notes that the place got `token` because it had refused another one.
    func succeed(_ token: AccessToken, at place: TokenPlace) {
        let fingerprint = token.fingerprint
        change(place) { known in
            if known.successor != fingerprint { (known.successor, known.isTold) = (fingerprint, false) }
        }
    }

    /// Notes that the place accepted `token`: a later refusal of it starts anew. Returns whether it had refused it.
    func accept(_ token: AccessToken, at place: TokenPlace) -> Bool {
        places.withLock { places in
            guard var known = places[place] else { return false }
            let fingerprint = token.fingerprint
            let wasTold = known.successor == fingerprint && known.isTold
            if known.asked != fingerprint { known.asked = nil }
            if known.successor == fingerprint { (known.successor, known.isTold) = (nil, false) }
            places[place] = known.asked == nil && known.successor == nil ? nil : known
            return wasTold
        }
    }

    /// Returns whether the place got `token` as a successor and has not accepted it since.
    func isSuccessor(_ token: AccessToken, at place: TokenPlace) -> Bool {
        known(place)?.successor == token.fingerprint
    }

    /// Returns whether the place refused the successor too.
    func isRefused(_ token: AccessToken, at place: TokenPlace) -> Bool {
        known(place).map { $0.isTold && $0.successor == token.fingerprint } ?? false
    }

    /// Notes that the place refused the successor too. Returns whether that is news.
    func refuse(_ token: AccessToken, at place: TokenPlace) -> Bool {
        succeed(token, at: place)
        return places.withLock { places in
            defer { places[place]?.isTold = true }
            return places[place]?.isTold == false
        }
    }

    private func known(_ place: TokenPlace) -> Known? { places.withLock { $0[place] } }

    private func change(_ place: TokenPlace, _ change: (inout Known) -> Void) {
        places.withLock { places in
            if places.count >= Self.bound, places[place] == nil { places.removeAll() }
            change(&places[place, default: Known()])
        }
    }
}
