public import FoundationEssentials
public import LatchkeyJSON

/// What the service wants next. Stored by the engine, so that another process can answer it.
public struct Challenge: Sendable, Identifiable {
    /// Random, 128 bits or more, unique per conversation.
    public var id: String
    /// Which configuration asked.
    public var binding: ProviderBinding
    /// What is wanted.
    public var ask: Ask
    /// When it stops being answerable, by ``ProviderContext/serverNow`` of the call that made it. The engine sees to it:
    /// what is known of the service's clock may change until it is answered, so a provider must not compare again.
    public var expiresAt: Date?
    /// How long to wait before asking for another code or link.
    public var resendAfter: Duration?
    /// What the provider needs to go on; may hold a verifier. Its content never prints.
    public var state: JSON
    /// Members of the stored record that this version does not know.
    package var unknown: [String: JSON] = [:]

    /// A challenge of its parts.
    public init(
        id: String, binding: ProviderBinding, ask: Ask, expiresAt: Date? = nil, resendAfter: Duration? = nil,
        state: JSON = .object([:])
    ) {
        self.id = id
        self.binding = binding
        self.ask = ask
        self.expiresAt = expiresAt
        self.resendAfter = resendAfter
        self.state = state
    }
}

/// What a challenge wants.
@nonexhaustive
public enum Ask: Hashable, Sendable {
    /// A code that was sent.
    case code(over: DeliveryChannel, sentTo: String?)
    /// A link that was sent shall be opened; its address comes back as ``Answer/redirected(_:)``.
    case openedLink(sentTo: String?)
    /// A code of an authenticator app.
    case totp
    /// A backup code.
    case backupCode
    /// An authenticator app shall be set up, and its first code be entered; it comes back as ``Answer/code(_:)``.
    case enrolment(Enrolment)
    /// The password.
    case password
    /// A new password that keeps `rules`.
    case newPassword(rules: [String])
    /// One of several.
    case choose([Option])
    /// Fields to fill in.
    case fields([Field])
    /// A visit to `url`, which ends at `redirect`. The URL is not secret, but belongs to this sign-in alone.
    case visit(url: String, redirect: String)
    /// A code to enter on another device; the engine polls meanwhile.
    case device(Device)
    /// A captcha.
    case captcha(siteKey: String)
    /// A signature of a passkey.
    case passkey(request: JSON)
    /// A signature of a wallet.
    case wallet(message: String)

    /// One of several things to choose.
    public struct Option: Hashable, Sendable {
        /// What to answer.
        public var id: String
        /// What to show.
        public var label: String

        /// An option of its parts.
        public init(id: String, label: String) {
            self.id = id
            self.label = label
        }
    }

    /// A field to fill in. With ``rules`` it is a new password.
    public struct Field: Hashable, Sendable {
        /// The service's name for it.
        public var name: String
        /// Whether typing must not show.
        public var secret: Bool
        /// Whether it must not stay empty.
        public var required: Bool
        /// The rules that a new password must keep, each a sentence; `nil`: the field is no new password.
        public var rules: [String]?

        /// A field of its parts.
        public init(name: String, secret: Bool = false, required: Bool = true, rules: [String]? = nil) {
            self.name = name
            self.secret = secret
            self.required = required
            self.rules = rules
        }

        /// A field for a new password that keeps `rules`. Typing does not show, and a screen asks twice.
        public static func newPassword(_ name: String, rules: [String] = []) -> Field {
            Field(name: name, secret: true, rules: rules)
        }
    }

    /// What an authenticator app is set up with (RFC 6238). Whoever sees it can make the codes.
    public struct Enrolment: Hashable, Sendable {
        /// The shared key in Base32 (RFC 4648, section 6), for those who type it.
        public var key: String
        /// The same as an `otpauth:` address, for a QR code.
        public var address: String

        /// An enrolment of its parts.
        public init(key: String, address: String) {
            self.key = key
            self.address = address
        }
    }

    /// A code to enter on another device (RFC 8628, section 3.2).
    public struct Device: Hashable, Sendable {
        /// What the person enters.
        public var userCode: String
        /// Where.
        public var at: String
        /// The same with the code in it, for a QR code.
        public var complete: String?
        /// How long to wait between two polls, and before the first.
        public var interval: Duration

        /// A device code of its parts.
        public init(userCode: String, at: String, complete: String? = nil, interval: Duration = .seconds(5)) {
            self.userCode = userCode
            self.at = at
            self.complete = complete
            self.interval = interval
        }
    }
}

/// What a person, a browser or the engine answers. Whatever a person types or a browser brings is a ``Secret``.
public enum Answer: Sendable {
    /// A code.
    case code(Secret)
    /// A password.
    case password(Secret)
    /// The id of the chosen option.
    case choice(String)
    /// Fields by name.
    case fields([String: Secret])
    /// The whole address at which the browser arrived.
    case redirected(Secret)
    /// A signed assertion.
    case assertion(Secret)
    /// Send the code or link once more.
    case resend
    /// Has the other device approved? Only the engine asks this.
    case poll
    /// The person said no.
    case declined
}
