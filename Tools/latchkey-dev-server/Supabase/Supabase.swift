extension DevServer {
    /// The settings of the server under `/auth/v1`, where it follows the rules of GoTrue, the identity service of
    /// Supabase projects. Times are in seconds.
    ///
    /// The defaults are those of a hosted project, except for the mail: it goes to an inbox at `/inbox`, which any
    /// program on this machine can read.
    public struct Supabase: Sendable {
        /// The format of refresh tokens, and what happens to used ones.
        public enum TokenGeneration: String, Hashable, Sendable, CaseIterable {
            /// Twelve characters. The server keeps each token until its session ends.
            case v1
            /// A signed counter of the session.
            case v2
        }

        /// The algorithm that signs access tokens.
        public enum Signing: String, Hashable, Sendable, CaseIterable {
            /// ECDSA on P-256; the key is published.
            case es256 = "ES256"
            /// A shared secret, ``Supabase/secret``; nothing is published.
            case hs256 = "HS256"
        }

        /// The gateway's answer to a missing or wrong `apikey`.
        public enum GatewayAnswer: String, Hashable, Sendable, CaseIterable {
            /// JSON with `message` and `hint`.
            case json
            /// An HTML page.
            case html
            /// No body.
            case empty
        }

        /// The key that programs must send; `nil` to check none.
        public var publishableKey: String? = "sb_publishable_development"
        /// The key that opens the administrator's endpoints. It is accepted in `apikey`, and only if there is a
        /// gateway that checks keys; as a bearer token only together with the same `apikey`. A service without a
        /// gateway accepts `supabaseLegacyKey(role:)`.
        public var secretKey = "sb_secret_development"
        /// The gateway's answer to a missing or wrong key.
        public var gatewayAnswer = GatewayAnswer.json
        /// The status of that answer.
        public var gatewayStatus = 401
        /// The accounts at the start.
        public var users = SupabaseUser.scratch
        /// The algorithm that signs access tokens.
        public var signing = Signing.es256
        /// The shared secret of ``Signing/hs256``.
        public var secret = "a development secret of at least 32 characters"
        /// The issuer of access tokens; `nil` for the address of the dialect.
        public var issuer: String?
        /// The lifetime of an access token.
        public var accessTokenLifetime = 3600
        /// The format for new sessions. A refresh upgrades older sessions from v1 to v2, never back.
        public var refreshTokens = TokenGeneration.v2
        /// How long a refresh token older than its session's newest two still works.
        public var reuseInterval = 10.0
        /// Whether the use of an older refresh token ends its session.
        public var rotation = true
        /// Whether any older refresh token works.
        public var alwaysAllowsReuse = false
        /// The target of links without an allowed address.
        public var siteURL = "https://app.example.test/welcome"
        /// The addresses that links may lead to, as patterns with `*` (no dot, no slash) and `**`. Loopback
        /// addresses are always allowed.
        public var redirects = ["latchkey-demo://**"]
        /// Whether sign-up is disabled.
        public var disablesSignUp = false
        /// Whether email sign-in works: passwords, codes and links.
        public var allowsEmail = true
        /// Whether phone numbers work.
        public var allowsPhone = true
        /// Whether anonymous sign-in works.
        public var allowsAnonymous = true
        /// Whether signed-in people may link further identities.
        public var allowsLinking = true
        /// Whether sign-in with wallets of Solana and Ethereum works.
        public var allowsWeb3 = true
        /// How far the time in a wallet's message may be from the server's.
        public var walletMessageLifetime = 600.0
        /// Whether new addresses count as confirmed.
        public var autoconfirms = false
        /// Whether new phone numbers count as confirmed.
        public var autoconfirmsPhone = false
        /// Whether both addresses must confirm a change of the email address.
        public var needsBothAddresses = true
        /// The only CAPTCHA answer that is accepted; `nil` if none is needed.
        public var captchaToken: String?
        /// The fewest characters of a password.
        public var passwordLength = 6
        /// Whether a password needs a letter and a digit.
        public var passwordNeedsLettersAndDigits = false
        /// The greatest age of a session that may change the password without a code by mail; `nil` for any age.
        public var reauthenticationAge: Double?
        /// Whether a change of the password needs the current one.
        public var needsCurrentPassword = false
        /// Whether a new sign-in ends the user's older sessions.
        public var allowsOneSession = false
        /// The longest lifetime of a session; `nil` for no limit.
        public var timeBox: Double?
        /// The longest pause between two refreshes; `nil` for no limit.
        public var inactivity: Double?
        /// The longest lifetime of a session without the second factor that its user has; `nil` for no limit.
        public var lowLevelLimit: Double?
        /// The lifetime of codes and links by mail or SMS.
        public var codeLifetime = 3600.0
        /// The lifetime of a PKCE flow from the request; for a magic link, from the click.
        public var flowLifetime = 300.0
        /// The lifetime of a second factor's challenge, and of a factor that is not verified.
        public var challengeLifetime = 300.0
        /// Whether authenticator apps may be enrolled.
        public var allowsTOTP = true
        /// Whether phones may be enrolled as second factors.
        public var allowsPhoneFactors = true
        /// Whether authenticators may be enrolled as second factors.
        public var allowsWebAuthnFactors = true
        /// Whether passkeys work as the first factor.
        public var allowsPasskeys = true
        /// The relying party of passkeys.
        public var relyingParty = "app.example.test"
        /// The relying party's name for display.
        public var relyingPartyName = "Latchkey development server"
        /// The origins in which passkeys may be used.
        public var origins = ["https://app.example.test"]
        /// The most second factors of one user, and the most passkeys.
        public var factorLimit = 10
        /// The shortest time between two mails of a kind, or between two SMS, to one user.
        public var resendGap = 60.0
        /// The most mails in an hour.
        public var mailsPerHour = 1_000
        /// The most SMS in an hour.
        public var messagesPerHour = 1_000
        /// Whether SMS arrive. If not, sending one fails, except to ``testCodes``.
        public var sendsMessages = true
        /// Phone numbers (only digits) with a fixed code each; nothing is sent to them.
        public var testCodes: [String: String] = [:]
        /// The header field with the caller's address, for limits by address; `nil` for no such limits.
        public var addressField: String?
        /// The most anonymous sign-ups of an address in an hour.
        public var anonymousPerHour = 30
        /// The enabled providers of social sign-in. Each of them is this server itself, which agrees at once.
        public var providers = ["github", "google", "apple", "keycloak"]
        /// The audiences that ID tokens may have, in addition to the server's clients.
        public var audiences = ["latchkey-demo"]
        /// Whether single sign-on is on. No domain has a provider.
        public var allowsSSO = false

        /// Creates the default settings.
        public init() {}
    }

    /// An account in the Supabase dialect. It is for tests only: the home page shows the password.
    public struct SupabaseUser: Hashable, Sendable {
        /// The confirmed email address.
        public var email: String
        /// The password; `nil` for none.
        public var password: String?
        /// The nickname that the program stored at sign-up.
        public var nickname: String?

        /// Creates an account.
        public init(email: String, password: String?, nickname: String? = nil) {
            self.email = email
            self.password = password
            self.nickname = nickname
        }

        /// The two default accounts.
        public static let scratch = [
            SupabaseUser(email: "ada@example.test", password: "ada-password"),
            SupabaseUser(email: "grace@example.test", password: "grace-password"),
        ]
    }
}

extension DevServer.Supabase {
    /// Whether every value is valid.
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
