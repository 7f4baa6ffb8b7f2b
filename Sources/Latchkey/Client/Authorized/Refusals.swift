import LatchkeyLocked

/// Where a token was refused: whose it is, which one, by whom.
struct TokenPlace: Hashable, Sendable {
    var account: AccountID
    var audience: Audience
    var origin: String
}

/// Which token each place got after it had refused another one, so that refusing that one too ends the matter.
///
/// Holds fingerprints, never tokens, and at most ``bound`` places: one that is forgotten costs a refresh.
final class Refusals: Sendable {
    private struct Successor {
        var fingerprint: Int
        /// Whether the app was told that this one is refused too.
        var isRefused = false
    }

    private static let bound = 4_096
    private let successors = Locked<[TokenPlace: Successor]>([:])

    /// The place was given `token`, because it had refused another one.
    func succeed(_ token: AccessToken, at place: TokenPlace) {
        let fingerprint = Self.fingerprint(token)
        successors.withLock { successors in
            guard successors[place]?.fingerprint != fingerprint else { return }
            if successors.count >= Self.bound, successors[place] == nil { successors.removeAll() }
            successors[place] = Successor(fingerprint: fingerprint)
        }
    }

    /// The place took `token`: a later refusal of it is a new matter.
    func accept(_ token: AccessToken, at place: TokenPlace) {
        successors.withLock { successors in
            guard let known = successors[place], known.fingerprint == Self.fingerprint(token) else { return }
            successors[place] = nil
        }
    }

    /// Whether the place was given `token` as a successor and has not taken it since.
    func isSuccessor(_ token: AccessToken, at place: TokenPlace) -> Bool {
        successors.withLock { successors in
            successors[place].map { $0.fingerprint == Self.fingerprint(token) } ?? false
        }
    }

    /// Whether the place refused the successor too.
    func isRefused(_ token: AccessToken, at place: TokenPlace) -> Bool {
        successors.withLock { successors in
            successors[place].map { $0.isRefused && $0.fingerprint == Self.fingerprint(token) } ?? false
        }
    }

    /// Notes that the place refused the successor too. Whether that is news.
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
    /// A token that meets `demand`, of the account that `entry` shows; a failure as callers see it.
    func token(_ demand: Demand, _ entry: AccountEntry) async throws(AuthError) -> AccessToken {
        do throws(AuthError) {
            return try await lanes.with(entry.key) { lane throws(AuthError) in try await lane.token(demand) }
        } catch {
            throw accounts.explained(error, entry, retryAfter: error.retryAfter)
        }
    }

    /// A token newer than `refused`; `nil` when `refused` is the newest there is to be had.
    ///
    /// However many ask, one refresh is made for each refused token; one that fails is not repeated before its time.
    ///
    /// - Throws: ``AuthError``: why no newer one is to be had.
    func newer(than refused: AccessToken, at place: TokenPlace) async throws(AuthError) -> AccessToken? {
        let want = Want(account: place.account, audience: place.audience)
        // A refresh under way may have begun before this token was refused; the second one has not.
        for _ in 0..<2 {
            let entry = try await reader.usableEntry(place.account)
            let now = clock.now()
            if let snapshot = entry.tokens[place.audience], snapshot.token != refused, now < snapshot.endsAt {
                return settled(snapshot.token, at: place)
            }
            if refusals.isSuccessor(refused, at: place) { break }
            if let (failure, until) = entry.rest(place.audience, at: now) {
                throw accounts.explained(failure, entry, retryAfter: until - now)
            }
            let token = try await token(Demand(want: want, old: refused, isRefused: true), entry)
            if token != refused { return settled(token, at: place) }
        }
        notAccepted(refused, at: place)
        return nil
    }

    /// A resource refused the newest token. The service did not, so the session goes on; the app is told, once.
    func notAccepted(_ token: AccessToken, at place: TokenPlace) {
        if refusals.refuse(token, at: place) {
            accounts.hub.tell(.authenticationRequired(place.account, .notAccepted))
        }
    }

    private func settled(_ token: AccessToken, at place: TokenPlace) -> AccessToken? {
        refusals.succeed(token, at: place)
        return refusals.isRefused(token, at: place) ? nil : token
    }
}
