extension DevServer {
    /// The settings of the server under `/clerk`, where it follows the rules of Clerk's Frontend API for native
    /// programs. Times are in seconds.
    ///
    /// Programs use it by the proxy address `http://127.0.0.1:PORT/clerk` and ``publishableKey``. Addresses with
    /// `+clerk_test` and the numbers `+1 XXX 555 0100` to `0199` always get the code 424242. All other codes are in
    /// `clerkMessages`.
    public struct Clerk: Sendable {
        /// Which answers bring a new client token, which makes the previous one invalid. A token that was replaced
        /// together with a new session token stays valid until another answer replaces it too.
        public enum Rotation: String, Hashable, Sendable, CaseIterable {
            /// Answers that sign a person in.
            case signIns
            /// All answers.
            case always
        }

        /// Where a request for a session token must send the previous one.
        public enum LastToken: String, Hashable, Sendable, CaseIterable {
            /// In the form, as `token`.
            case form
            /// In the query, as `expired_token`.
            case query
        }

        /// The instance's key: `pk_test_` and the host of the Frontend API, which issues the session tokens.
        public var publishableKey = "pk_test_bGF0Y2hrZXkuY2xlcmsuYWNjb3VudHMuZGV2JA"
        /// The key for servers: with it as a bearer token, `http://127.0.0.1:PORT/clerk` is the Backend API too.
        public var secretKey = "sk_test_latchkey"
        /// The host in the publishable key.
        public var host = "latchkey.clerk.accounts.dev"
        /// The accounts at the start.
        public var users = ClerkUser.scratch
        /// The switches of the instance. They add to the other values here.
        public var settings: Set<ClerkSetting> = []
        /// Which answers bring a new client token.
        public var rotation = Rotation.signIns
        /// The lifetime of a session token.
        public var tokenLifetime = 60
        /// The lifetime of a code.
        public var codeLifetime = 600.0
        /// The number of wrong codes that make an attempt fail.
        public var codeTries = 5
        /// Where a request for a session token must send the previous one; `nil` if it need not.
        public var wantsLastToken: LastToken?
        /// Whether session tokens come from an edge. Then a request must send the previous token, and gets the same
        /// one back unless it has `force_origin`.
        public var mintsAtEdge = false
        /// Whether a session is pending until the person chooses an organization.
        public var mustChooseOrganization = false
        /// The templates of session tokens, with the lifetime of each.
        public var templates = ["supabase": 60, "backend": 120]
        /// Whether native programs may use the API.
        public var allowsNative = true
        /// Whether the instance is closed for maintenance.
        public var isInMaintenance = false
        /// Whether a client that is new to a person without a second factor must confirm a code by mail.
        public var asksForClientTrust = false
        /// The services for social sign-in. Each of them is this server itself, which agrees at once.
        public var connections: Set<String> = ["oauth_github", "oauth_google", "oauth_apple"]
        /// Mail domains with single sign-on at the person's company. That is this server too, and it agrees at
        /// once.
        public var enterpriseDomains: Set<String> = ["corp.example.test"]
        /// The address of the visitor that such a service reports; `nil` if it refuses.
        public var visitor: String? = "ada+clerk_test@example.test"
        /// The addresses that browsers may be sent back to, in addition to those of this machine and those of an app's
        /// own scheme. With ``ClerkSetting/allowList`` only these get the nonce.
        public var redirects: Set<String> = []
        /// The tickets, each with the ID of the person that it signs in.
        public var tickets: [String: String] = [:]
        /// The most entries of a list in one answer.
        public var pageLimit = 500
        /// The fields that a sign-up needs besides the address.
        public var requiredFields = ["email_address", "password"]

        /// Creates the default settings.
        public init() {}
    }

    /// An account in the Clerk dialect. It is for tests only: passwords are not secret.
    public struct ClerkUser: Hashable, Sendable {
        /// The ID, `user_…`.
        public var id: String
        /// The verified email address.
        public var email: String
        /// The verified phone number, in the form `+15550100`; `nil` for none.
        public var phone: String?
        /// The password; `nil` for none.
        public var password: String?
        /// The key of an authenticator app, in Base32; `nil` for none.
        public var totp: String?
        /// The backup codes, each for one use in place of the app.
        public var backupCodes: [String]
        /// The organizations by ID, with the role in each (`org:admin`).
        public var organizations: [String: String]
        /// The invitations by ID, `orginv_…`, each with the ID of its organization.
        public var invitations: [String: String] = [:]

        /// Creates an account.
        public init(
            id: String, email: String, phone: String? = nil, password: String?, totp: String? = nil,
            backupCodes: [String] = [], organizations: [String: String] = [:]
        ) {
            (self.id, self.email, self.phone, self.password) = (id, email, phone, password)
            (self.totp, self.backupCodes, self.organizations) = (totp, backupCodes, organizations)
        }

        /// The default accounts. Grace has an authenticator app and one backup code.
        public static let scratch = [
            ClerkUser(
                id: "user_ada", email: "ada+clerk_test@example.test", phone: "+12015550100", password: "ada-password",
                organizations: ["org_engines": "org:admin"]),
            ClerkUser(
                id: "user_grace", email: "grace+clerk_test@example.test", password: "grace-password",
                totp: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", backupCodes: ["grace-backup"]),
        ]
    }

    /// A code or link that the dialect "sent": it is kept in memory, and any program on this machine can read it.
    public struct ClerkMessage: Hashable, Sendable {
        /// The email address or phone number.
        public var to: String
        /// The six digits; empty for a link.
        public var code: String
        /// The address of the link; `nil` for a code.
        public var link: String?
        /// When it was sent, in seconds since 1970 by the server's clock.
        public var sentAt: Double

        /// Creates a message with a code or a link.
        public init(to address: String, code: String = "", link: String? = nil, sentAt: Double = 0) {
            (to, self.code, self.link, self.sentAt) = (address, code, link, sentAt)
        }
    }
}
