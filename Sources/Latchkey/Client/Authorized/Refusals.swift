import LatchkeyLocked

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
    private struct Successor {
        var fingerprint: Int
        /// Whether the app has been told that this token is refused too.
        var isRefused = false
    }

    private static let bound = 4_096
    private let successors = Locked<[TokenPlace: Successor]>([:])
    /// For which of the place's tokens a newer one was asked for last.
    private let asked = Locked<[TokenPlace: Int]>([:])

    /// Notes that a newer token is asked for because the place refused `token`.
    func ask(insteadOf token: AccessToken, at place: TokenPlace) {
        let fingerprint = Self.fingerprint(token)
        asked.withLock { asked in
            if asked.count >= Self.bound, asked[place] == nil { asked.removeAll() }
            asked[place] = fingerprint
        }
    }

    /// Returns whether a newer token was asked for because the place refused `token`.
    func hasAsked(insteadOf token: AccessToken, at place: TokenPlace) -> Bool {
        let fingerprint = Self.fingerprint(token)
        return asked.withLock { $0[place] == fingerprint }
    }

    /// Notes that the place got `token` because it had refused another one.
    func succeed(_ token: AccessToken, at place: TokenPlace) {
        let fingerprint = Self.fingerprint(token)
        successors.withLock { successors in
            guard successors[place]?.fingerprint != fingerprint else { return }
            if successors.count >= Self.bound, successors[place] == nil { successors.removeAll() }
            successors[place] = Successor(fingerprint: fingerprint)
        }
    }

    /// Notes that the place accepted `token`: a later refusal of it starts anew. Returns whether it had refused it.
    func accept(_ token: AccessToken, at place: TokenPlace) -> Bool {
        successors.withLock { successors in
            guard let known = successors[place], known.fingerprint == Self.fingerprint(token) else { return false }
            successors[place] = nil
            return known.isRefused
        }
    }

    /// Returns whether the place got `token` as a successor and has not accepted it since.
    func isSuccessor(_ token: AccessToken, at place: TokenPlace) -> Bool {
        successors.withLock { successors in
            successors[place].map { $0.fingerprint == Self.fingerprint(token) } ?? false
        }
    }

    /// Returns whether the place refused the successor too.
    func isRefused(_ token: AccessToken, at place: TokenPlace) -> Bool {
        successors.withLock { successors in
            successors[place].map { $0.isRefused && $0.fingerprint == Self.fingerprint(token) } ?? false
        }
    }

    /// Notes that the place refused the successor too. Returns whether that is news.
    func refuse(_ token: AccessToken, at place: TokenPlace) -> Bool {
        succeed(token, at: place)
        return successors.withLock { successors in
            defer { successors[place]?.isRefused = true }
            return successors[place]?.isRefused == false
        }
    }

    private static func fingerprint(_ token: AccessToken) -> Int {
        var hasher = Hasher()
        hasher.combine(token.value.reveal())
        return hasher.finalize()
    }
}

extension Engine {
    /// Returns a token that meets `demand` for the account of `entry`; throws failures as callers see them.
    func token(_ demand: Demand, _ entry: AccountEntry) async throws(AuthError) -> AccessToken {
        do throws(AuthError) {
            return try await lanes.with(entry.key) { lane throws(AuthError) in try await lane.token(demand) }
        } catch {
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
                guard refusals.hasAsked(insteadOf: refused, at: place) else {
                    return refusals.isRefused(snapshot.token, at: place) ? nil : snapshot.token
                }
                return settled(snapshot.token, at: place)
            }
            if refusals.isSuccessor(refused, at: place) { break }
            if let (failure, until) = entry.rest(place.audience, at: now) {
                throw accounts.explained(failure, entry, retryAfter: until - now)
            }
            refusals.ask(insteadOf: refused, at: place)
            let token = try await token(Demand(want: want, old: refused, isRefused: true), entry)
            if token != refused { return settled(token, at: place) }
        }
        notAccepted(refused, at: place)
        return nil
    }

    /// Tells the app, once, that a resource refused the newest token. The service did not, so the
    /// session continues.
    func notAccepted(_ token: AccessToken, at place: TokenPlace) {
        if refusals.refuse(token, at: place) {
            guard let provider = table.entry(place.account)?.binding.provider else { return }
            accounts.tellRequired(.notAccepted, of: place.account, at: provider)
        }
    }

    private func settled(_ token: AccessToken, at place: TokenPlace) -> AccessToken? {
        refusals.succeed(token, at: place)
        return refusals.isRefused(token, at: place) ? nil : token
    }
}
