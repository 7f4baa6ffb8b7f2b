public import LatchkeyJSON
import LatchkeyLocked

/// The Supabase dialect, for programs that run the server themselves.
extension DevServer {
    /// The address of the project: what a client of Supabase is given. Its identity service is below `/auth/v1`.
    public var supabaseURL: String { issuer }

    /// A key of the older format, which is a token: of the role `anon`, or of `service_role`, which opens the
    /// administrator's endpoints. It lasts ten years. `nil` when it cannot be signed.
    public func supabaseLegacyKey(role: String) -> String? {
        state.withLock { state in
            state.supabase.settings = state.configuration.supabase
            state.supabase.wall = now() + Double(state.configuration.clockSkew)
            return state.supabase.legacyKey(role: role)
        }
    }

    /// Makes an account in the dialect, with a confirmed address. `false` when there is one with it.
    @discardableResult
    public func add(_ user: SupabaseUser) -> Bool {
        state.withLock { state in
            guard state.supabase.person(email: user.email) == nil else { return false }
            state.supabase.now = now()
            state.supabase.seed(user)
            return true
        }
    }

    /// The mail and SMS that the dialect sent, oldest first: the latest 1,000, or those of one address or number (in
    /// digits only).
    public func inbox(of recipient: String? = nil) -> [SupabaseMessage] {
        state.withLock { $0.supabase.inbox.latest }.filter { recipient == nil || $0.to == recipient }
    }

    /// The refreshes that the dialect decided on, oldest first: the latest 10,000.
    public func supabaseRefreshes() -> [SupabaseRefresh] { state.withLock { $0.supabase.refreshes.suffix(10_000) } }

    /// The sessions that live, of one user when an address is given, oldest first.
    public func supabaseSessions(of email: String? = nil) -> [SupabaseSessionState] {
        state.withLock { state in
            let owner = email.flatMap { state.supabase.emails[$0.lowercased()] }
            return state.supabase.sessions.all.filter { email == nil || $0.user == owner }
                .sorted { $0.serial < $1.serial }
                .map {
                    SupabaseSessionState(
                        id: $0.id, user: $0.user, level: $0.level, counter: $0.counter, methods: $0.methods.map(\.name))
                }
        }
    }

    /// An ID token of the one issuer that the dialect accepts, this server itself: `iss`, `iat` and `exp` are set, and
    /// `aud` to `latchkey-demo`, unless `claims` says otherwise. `nil` when it cannot be signed.
    public func idToken(_ claims: [String: JSON]) -> String? {
        state.withLock { state in
            let issued = state.wallClock(now())
            let common: [String: JSON] = [
                "iss": .string(issuer), "aud": "latchkey-demo", "iat": .integer(issued), "exp": .integer(issued + 300),
            ]
            return try? state.keys.sign(.object(common.merging(claims) { $1 }))
        }
    }
}
