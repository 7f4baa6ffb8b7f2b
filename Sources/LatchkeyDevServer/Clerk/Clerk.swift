extension DevServer {
    /// How the server behaves under `/clerk`, where it follows the rules of Clerk's Frontend API for native programs. Times are
    /// in seconds.
    ///
    /// A program reaches it by a proxy address, `http://127.0.0.1:PORT/clerk`, and ``publishableKey``. Addresses with
    /// `+clerk_test` and the numbers `+1 XXX 555 0100` to `0199` always get the code 424242; what other codes are, stands in
    /// `clerkMessages`.
    public struct Clerk: Sendable {
        /// Which answers bring a new client token, with which the one before is worth nothing. One that a mint has replaced
        /// is still good until another answer replaces it too.
        public enum Rotation: String, Hashable, Sendable, CaseIterable {
            /// Those that sign somebody in.
            case signIns
            /// All of them.
            case always
        }

        /// Where a mint brings the token before.
        public enum LastToken: String, Hashable, Sendable, CaseIterable {
            /// As `token` in the form.
            case form
            /// As `expired_token` in the query.
            case query
        }

        /// Names the instance: `pk_test_` and the host of the Frontend API, which issues the session tokens.
        public var publishableKey = "pk_test_bGF0Y2hrZXkuY2xlcmsuYWNjb3VudHMuZGV2JA"
        /// The host that the key names.
        public var host = "latchkey.clerk.accounts.dev"
        /// Who exists at the start.
        public var users = ClerkUser.scratch
        /// Which answers bring a new client token.
        public var rotation = Rotation.signIns
        /// Life of a session token.
        public var tokenLifetime = 60
        /// Life of a code.
        public var codeLifetime = 600.0
        /// Wrong codes until the attempt fails.
        public var codeTries = 5
        /// Where a mint has to bring the token before; `nil`: nowhere.
        public var wantsLastToken: LastToken?
        /// Whether tokens are minted at an edge: a mint has to bring the token before, and gets that very one again, unless it
        /// asks for the origin by `force_origin`.
        public var mintsAtEdge = false
        /// Whether a session is pending until an organization is chosen.
        public var mustChooseOrganization = false
        /// Templates of session tokens, with how long each lasts.
        public var templates = ["supabase": 60, "backend": 120]
        /// Whether native programs may use the API.
        public var allowsNative = true
        /// Whether the instance is closed for maintenance.
        public var isInMaintenance = false
        /// Whether a client that is new to a person without a second factor has to prove a code by mail.
        public var asksForClientTrust = false
        /// At which other services people may sign in. Each is this server itself, which agrees at once.
        public var connections: Set<String> = ["oauth_github", "oauth_google", "oauth_apple"]
        /// Mail domains whose people sign in at their company. It is this server too, and agrees that they are who they say.
        public var enterpriseDomains: Set<String> = ["corp.example.test"]
        /// Whom such a service says it is who visits it; `nil`: nobody, it refuses.
        public var visitor: String? = "ada+clerk_test@example.test"
        /// Where browsers may be sent back to, besides to this machine.
        public var redirects: Set<String> = []
        /// Tickets, each with the id of whom it signs in.
        public var tickets: [String: String] = [:]
        /// The most entries of a list in one answer.
        public var pageLimit = 500
        /// What a sign-up needs beside its address.
        public var requiredFields = ["email_address", "password"]

        /// The defaults.
        public init() {}
    }

    /// Somebody in the Clerk dialect. Scratch accounts: their passwords are no secret.
    public struct ClerkUser: Hashable, Sendable {
        /// The id, `user_…`.
        public var id: String
        /// The address, verified.
        public var email: String
        /// The number, verified, in the form `+15550100`; `nil` for none.
        public var phone: String?
        /// The password; `nil` for none.
        public var password: String?
        /// The key of an authenticator app, in Base32; `nil` for none.
        public var totp: String?
        /// What may be used once in place of the app.
        public var backupCodes: [String]
        /// Organizations by id, with the role in each (`org:admin`).
        public var organizations: [String: String]
        /// Invitations by id, `orginv_…`: each into an organization.
        public var invitations: [String: String] = [:]

        /// A scratch account.
        public init(
            id: String, email: String, phone: String? = nil, password: String?, totp: String? = nil,
            backupCodes: [String] = [], organizations: [String: String] = [:]
        ) {
            (self.id, self.email, self.phone, self.password) = (id, email, phone, password)
            (self.totp, self.backupCodes, self.organizations) = (totp, backupCodes, organizations)
        }

        /// The accounts there are by default. Grace has an authenticator app and one backup code.
        public static let scratch = [
            ClerkUser(
                id: "user_ada", email: "ada+clerk_test@example.test", phone: "+12015550100", password: "ada-password",
                organizations: ["org_engines": "org:admin"]),
            ClerkUser(
                id: "user_grace", email: "grace+clerk_test@example.test", password: "grace-password",
                totp: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", backupCodes: ["grace-backup"]),
        ]
    }

    /// A code that the dialect sent, which is to say: kept for anybody on this machine to read.
    public struct ClerkMessage: Hashable, Sendable {
        /// The address or number.
        public var to: String
        /// The six digits; empty for a link.
        public var code: String
        /// The address that a link leads to; `nil` for a code.
        public var link: String?

        /// A code, or a link.
        public init(to address: String, code: String = "", link: String? = nil) {
            (to, self.code, self.link) = (address, code, link)
        }
    }
}
