public import LatchkeyJSON
import LatchkeySystem

/// Control of the Supabase dialect, for programs that run the server themselves.
extension DevServer {
    /// The address of the project, as Supabase clients take it. Its identity service is below `/auth/v1`.
    public var supabaseURL: String { issuer }

    /// Returns an API key of the older format, which is a token: with the role `anon`, or with `service_role`,
    /// which opens the administrator's endpoints. It is valid for ten years. `nil` if it cannot be signed.
    public func supabaseLegacyKey(role: String) -> String? {
        state.withLock { state in
            state.supabase.settings = state.configuration.supabase
            state.supabase.wall = now() + Double(state.configuration.clockSkew)
            return state.supabase.legacyKey(role: role)
        }
    }

    /// Creates an account with a confirmed address. Returns `false` if the address is taken.
    @discardableResult
    public func add(_ user: SupabaseUser) -> Bool {
        state.withLock { state in
            guard state.supabase.person(email: user.email) == nil else { return false }
            state.supabase.now = now()
            state.supabase.seed(user)
            return true
        }
    }

    /// Returns the mail and SMS that the dialect sent, oldest first: the latest 1,000, or those to one address or
    /// number (only digits).
    public func inbox(of recipient: String? = nil) -> [SupabaseMessage] {
        state.withLock { $0.supabase.inbox.latest }.filter { recipient == nil || $0.to == recipient }
    }

    /// Returns the refreshes that the dialect decided on, oldest first: the latest 10,000.
    public func supabaseRefreshes() -> [SupabaseRefresh] { state.withLock { $0.supabase.refreshes.suffix(10_000) } }

    /// Returns the live sessions, oldest first; those of one user if you give an address.
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

    /// Returns an ID token of the only issuer that the dialect accepts, this server. `iss`, `iat` and `exp` are
    /// set, and `aud` to `latchkey-demo`, unless `claims` has them. `nil` if it cannot be signed.
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
