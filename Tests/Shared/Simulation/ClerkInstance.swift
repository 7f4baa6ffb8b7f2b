import LatchkeyJSON
import LatchkeySystem

/// What a Clerk instance wants besides, as its dashboard is set: each half of the schedules has each of three wishes.
final class ClerkInstance: Sendable {
    /// Whether a client has one session at most (single-session mode).
    let takesOne: Bool
    /// Whether a mint has to bring one of the session's tokens (session minter).
    private let wantsPrevious: Bool
    /// Whether it asks for that token before it looks whether the session is still there.
    let wantsPreviousFirst: Bool
    /// Whether sessions are pending for a quarter of an hour in each hour: somebody has switched on a further factor, and
    /// off again.
    private let wantsMore: Bool
    private let isSettled = Locked(false)
    /// The tokens of each session, the newest last.
    private let tokens = Locked<[String: [String]]>([:])

    init(schedule: UInt64) {
        (takesOne, wantsPrevious, wantsMore) = (schedule & 1 == 1, schedule & 2 == 2, schedule & 4 == 4)
        wantsPreviousFirst = schedule & 8 == 8
    }

    /// From now on it wants nothing more.
    func settle() { isSettled.withLock { $0 = true } }

    var environment: JSON {
        [
            "auth_config": ["single_session_mode": .bool(takesOne), "session_minter": .bool(wantsPrevious)],
            "user_settings": ["attributes": [:]], "display_config": [:],
        ]
    }

    /// What a token that is minted then says of its session (`sts`); `nil` if that counts as signed in.
    func status(at time: Duration) -> JSON? {
        !isSettled.withLock { $0 } && wantsMore && (time.components.seconds / 900) % 4 == 1 ? "pending" : nil
    }

    /// Whether a mint for that session may bring this token, or none. One that has no token yet has nothing to bring.
    func takes(_ token: String?, for session: String) -> Bool {
        guard wantsPrevious, let known = tokens.withLock({ $0[session] }) else { return true }
        return token.map(known.contains) ?? false
    }

    func note(_ token: String, of session: String) { tokens.withLock { $0[session, default: []].append(token) } }

    /// What a client says of it.
    func token(of session: String) -> JSON {
        guard let newest = tokens.withLock({ $0[session]?.last }) else { return .null }
        return ["object": "token", "jwt": .string(newest)]
    }
}
