extension DevServer {
    /// How the server behaves under `/auth/v1`, where it follows the rules of GoTrue, the identity service of Supabase
    /// projects. Times are in seconds.
    ///
    /// The defaults are those of a hosted project, except for the mail: it goes to an inbox that anybody on this machine
    /// can read, at `/inbox`.
    public struct Supabase: Sendable {
        /// What refresh tokens look like, and what happens to those that were used.
        public enum TokenGeneration: String, Hashable, Sendable, CaseIterable {
            /// Twelve characters, each kept by the server until its session ends.
            case v1
            /// A counter of the session, signed.
            case v2
        }

        /// What access tokens are signed with.
        public enum Signing: String, Hashable, Sendable, CaseIterable {
            /// ECDSA on P-256; the key is published.
            case es256 = "ES256"
            /// A shared secret, ``Supabase/secret``; nothing is published.
            case hs256 = "HS256"
        }

        /// What the answers of the gateway that checks `apikey` look like.
        public enum GatewayAnswer: String, Hashable, Sendable, CaseIterable {
            /// JSON with `message` and `hint`.
            case json
            /// A page.
            case html
            /// No body.
            case empty
        }

        /// The key that programs send, `nil` to check none.
        public var publishableKey: String? = "sb_publishable_development"
        /// The key that opens the administrator's endpoints. Taken in `apikey`, and only where there is a gateway that
        /// checks keys; as a bearer only beside the same `apikey`. A service without a gateway takes
        /// `supabaseLegacyKey(role:)`.
        public var secretKey = "sb_secret_development"
        /// What the gateway answers to a missing or wrong key.
        public var gatewayAnswer = GatewayAnswer.json
        /// The status of that answer.
        public var gatewayStatus = 401
        /// Who exists at the start.
        public var users = SupabaseUser.scratch
        /// What access tokens are signed with.
        public var signing = Signing.es256
        /// The shared secret of ``Signing/hs256``.
        public var secret = "a development secret of at least 32 characters"
        /// The issuer of access tokens; `nil`: the address of the dialect.
        public var issuer: String?
        /// Life of an access token.
        public var accessTokenLifetime = 3600
        /// What new sessions get; older ones are upgraded from v1 to v2 when they are refreshed, never back.
        public var refreshTokens = TokenGeneration.v2
        /// How long a refresh token that is older than its session's newest two still works.
        public var reuseInterval = 10.0
        /// Whether using an older refresh token ends its session.
        public var rotation = true
        /// Whether any older refresh token works.
        public var alwaysAllowsReuse = false
        /// Where links lead that name no allowed address.
        public var siteURL = "https://app.example.test/welcome"
        /// Where links may lead besides: patterns with `*` (no dot, no slash) and `**`. Loopback addresses always may.
        public var redirects = ["latchkey-demo://**"]
        /// Whether nobody can sign up.
        public var disablesSignUp = false
        /// Whether e-mail and password, codes and links by mail work.
        public var allowsEmail = true
        /// Whether phone numbers work.
        public var allowsPhone = true
        /// Whether people may sign in as nobody in particular.
        public var allowsAnonymous = true
        /// Whether signed-in people may link further identities.
        public var allowsLinking = true
        /// Whether people sign in with wallets, of Solana and Ethereum.
        public var allowsWeb3 = true
        /// How far the time of a wallet's message may be from the server's.
        public var walletMessageLifetime = 600.0
        /// Whether new addresses count as confirmed.
        public var autoconfirms = false
        /// Whether new phone numbers count as confirmed.
        public var autoconfirmsPhone = false
        /// Whether both addresses must confirm a change of the e-mail address.
        public var needsBothAddresses = true
        /// The one CAPTCHA answer that is taken; `nil`: none is asked for.
        public var captchaToken: String?
        /// The fewest characters of a password.
        public var passwordLength = 6
        /// Whether a password needs a letter and a digit.
        public var passwordNeedsLettersAndDigits = false
        /// How old a session may be to change the password without a code by mail; `nil`: any age.
        public var reauthenticationAge: Double?
        /// Whether a change of the password needs the current one.
        public var needsCurrentPassword = false
        /// Whether a new sign-in ends the user's older sessions.
        public var allowsOneSession = false
        /// The longest life of a session; `nil`: any.
        public var timeBox: Double?
        /// The longest pause between two refreshes; `nil`: any.
        public var inactivity: Double?
        /// The longest life of a session that never showed the second factor its user has; `nil`: any.
        public var lowLevelLimit: Double?
        /// Life of codes and links sent by mail or SMS.
        public var codeLifetime = 3600.0
        /// Life of a flow with PKCE, from the request; of a magic link from the click.
        public var flowLifetime = 300.0
        /// Life of a challenge of a second factor, and of a factor that is not verified.
        public var challengeLifetime = 300.0
        /// Whether authenticator apps may be enrolled.
        public var allowsTOTP = true
        /// Whether phones may be enrolled as second factors.
        public var allowsPhoneFactors = true
        /// Whether authenticators may be enrolled as second factors.
        public var allowsWebAuthnFactors = true
        /// Whether passkeys work as the first factor.
        public var allowsPasskeys = true
        /// The relying party of passkeys, and its name.
        public var relyingParty = "app.example.test"
        /// What people are shown as its name.
        public var relyingPartyName = "Latchkey development server"
        /// Where passkeys may be used.
        public var origins = ["https://app.example.test"]
        /// The most second factors of one user, and the most passkeys.
        public var factorLimit = 10
        /// The fewest seconds between two mails of a kind, or SMS, to one user.
        public var resendGap = 60.0
        /// How many mails go out in an hour.
        public var mailsPerHour = 1_000
        /// How many SMS go out in an hour.
        public var messagesPerHour = 1_000
        /// Whether SMS arrive; `false`: sending one fails, except to ``testCodes``.
        public var sendsMessages = true
        /// Phone numbers, digits only, with the code each always gets; nothing is sent to them.
        public var testCodes: [String: String] = [:]
        /// The header field with a caller's address, which limits requests per address; `nil`: no limit.
        public var addressField: String?
        /// How many anonymous sign-ups an address has in an hour.
        public var anonymousPerHour = 30
        /// Providers of social sign-in that are switched on. Each is this server itself, which agrees at once.
        public var providers = ["github", "google", "apple", "keycloak"]
        /// Who may stand in ID tokens as the audience, besides the clients of the server.
        public var audiences = ["latchkey-demo"]
        /// Whether single sign-on is on; no domain has a provider.
        public var allowsSSO = false

        /// The defaults.
        public init() {}
    }

    /// Somebody in the Supabase dialect. Scratch accounts: the password is shown to anybody who asks for the home page.
    public struct SupabaseUser: Hashable, Sendable {
        /// The e-mail address, confirmed.
        public var email: String
        /// The password; `nil` for none.
        public var password: String?
        /// What the program stored with the sign-up.
        public var nickname: String?

        /// A scratch account.
        public init(email: String, password: String?, nickname: String? = nil) {
            self.email = email
            self.password = password
            self.nickname = nickname
        }

        /// The two accounts there are by default.
        public static let scratch = [
            SupabaseUser(email: "ada@example.test", password: "ada-password"),
            SupabaseUser(email: "grace@example.test", password: "grace-password"),
        ]
    }
}

extension DevServer.Supabase {
    /// Whether every value makes sense.
    var isValid: Bool {
        let lifetimes = [codeLifetime, flowLifetime, challengeLifetime, walletMessageLifetime]
        let limits = [reauthenticationAge, timeBox, inactivity, lowLevelLimit, reuseInterval, resendGap]
        return Set(users.map(\.email)).count == users.count && users.allSatisfy { $0.email.contains("@") }
            && (1..<(1 << 40)).contains(accessTokenLifetime) && lifetimes.allSatisfy { $0 > 0 && $0 < 1e12 }
            && limits.allSatisfy { $0.map { $0 >= 0 && $0 < 1e12 } ?? true } && (200...599).contains(gatewayStatus)
            && secret.utf8.count >= 32 && secretKey != publishableKey && !secretKey.isEmpty
            && (0...1_000_000).contains(mailsPerHour) && (0...1_000_000).contains(messagesPerHour)
            && (0...1_000).contains(passwordLength) && (0...1_000).contains(factorLimit)
            && (0...1_000_000).contains(anonymousPerHour)
    }
}
