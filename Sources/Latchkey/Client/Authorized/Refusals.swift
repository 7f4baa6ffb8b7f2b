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
final class Refusals: Sendable {
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

extension Engine {
    /// Returns a token that meets `demand` for the account of `entry`; throws failures as callers see them.
    func token(_ demand: Demand, _ entry: AccountEntry) async throws(AuthError) -> AccessToken {
        do throws(AuthError) {
            return try await lanes.with(entry.key) { lane throws(AuthError) in try await lane.token(demand) }
        } catch {
            // What waited to be stored may have gone to another key meanwhile.
            if error.code == .signInRequired(.signedOut), let moved = accounts.entry(entry.account),
                moved.key != entry.key
            {
                return try await token(demand, moved)
            }
            throw accounts.explained(error, entry, retryAfter: error.retryAfter)
        }
    }

    /// Returns a token newer than `refused`, or `nil` if `refused` is the newest one available.
    ///
    /// However many callers ask, each refused token causes one refresh. A refresh that fails is not
    /// repeated before its time. A token that came meanwhile, and not because this one was refused, is returned without
    /// a refresh, and may be refused and asked about too.
    ///
    /// - Throws: ``AuthError`` that says why no newer token is available.
    func newer(than refused: AccessToken, at place: TokenPlace) async throws(AuthError) -> AccessToken? {
        let want = Want(account: place.account, audience: place.audience)
        // A refresh under way may have begun before this token was refused; the second one began afterwards.
        for _ in 0..<2 {
            let entry = try await reader.usableEntry(place.account)
            let now = clock.now()
            if let snapshot = entry.tokens[place.audience], snapshot.token != refused, now < snapshot.endsAt {
                // Another one, which came for another reason, may be as old as the refused one: it is asked about in
                // its turn.
                let isAskedFor = refusals.hasAsked(insteadOf: refused, at: place)
                if isAskedFor { refusals.succeed(snapshot.token, at: place) }
                if !refusals.isRefused(snapshot.token, at: place) { return snapshot.token }
                return await stored(insteadOf: snapshot.token, at: place)
            }
            if isNotAccepted(refused, at: place) { break }
            if let (failure, until) = entry.rest(place.audience, at: now) {
                throw accounts.explained(failure, entry, retryAfter: until - now)
            }
            refusals.ask(insteadOf: refused, at: place)
            let token = try await token(Demand(want: want, old: refused, isRefused: true), entry)
            if token != refused {
                if let token = settled(token, at: place) { return token }
                return await stored(insteadOf: token, at: place)
            }
        }
        return await notAccepted(refused, at: place)
    }

    /// Tells the app, once, that a resource refused the newest token. The service did not, so the
    /// session continues.
    ///
    /// - Returns: A token that another process has stored meanwhile: then nothing is told.
    @discardableResult
    func notAccepted(_ token: AccessToken, at place: TokenPlace) async -> AccessToken? {
        if let other = await stored(insteadOf: token, at: place) { return other }
        if refusals.refuse(token, at: place) {
            await note(token, at: place, isRefused: true)
            guard let provider = table.entry(place.account)?.binding.provider else { return nil }
            accounts.tellRequired(.notAccepted, of: place.account, at: provider)
        }
        return nil
    }

    /// Looks into the store for another token than `refused`, which the place has not refused: another process may have
    /// signed in anew and ended the session of `refused`. Nobody tells a client of that whose store has no watch, or that
    /// does not follow it.
    private func stored(insteadOf refused: AccessToken, at place: TokenPlace) async -> AccessToken? {
        guard let entry = accounts.entry(place.account) else { return nil }
        _ = try? await lanes.with(entry.key) { lane throws(AuthError) in try await lane.look(atNews: true) }
        guard let snapshot = accounts.entry(place.account)?.tokens[place.audience], snapshot.token != refused,
            clock.now() < snapshot.endsAt, !refusals.isRefused(snapshot.token, at: place)
        else { return nil }
        return snapshot.token
    }

    private func settled(_ token: AccessToken, at place: TokenPlace) -> AccessToken? {
        refusals.succeed(token, at: place)
        return refusals.isRefused(token, at: place) ? nil : token
    }
}
