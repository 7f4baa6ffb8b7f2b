public import FoundationEssentials
public import LatchkeyJSON

/// What the service asks for next. The engine stores it, so that another process can answer it.
public struct Challenge: Sendable, Identifiable {
    /// A random ID of at least 128 bits, unique per conversation.
    public var id: String
    /// The provider configuration that asked.
    public var binding: ProviderBinding
    /// What the service asks for.
    public var ask: Ask
    /// When the challenge expires, by ``ProviderContext/serverNow`` of the call that created it.
    /// The engine enforces it. A provider must not check it again: the estimate of the service's
    /// clock may have changed since.
    public var expiresAt: Date?
    /// How long to wait before asking for another code or link; `nil` if none can be asked for.
    public var resendAfter: Duration?
    /// What the provider needs to continue; may contain a verifier. Its content is never printed.
    public var state: JSON
    /// Why the service asks once more: what it refused about the answer before. It is not stored.
    package var refusal: AuthError?
    /// Members of the stored record that this version does not know.
    package var unknown: [String: JSON] = [:]

    /// Creates a challenge.
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

/// What a challenge asks for.
@nonexhaustive
public enum Ask: Hashable, Sendable {
    /// The code that the service sent.
    case code(over: DeliveryChannel, sentTo: String?)
    /// A click on the link that the service sent. Answer with the link's address as ``Answer/redirected(_:)``.
    case openedLink(sentTo: String?)
    /// A code from an authenticator app.
    case totp
    /// A backup code.
    case backupCode
    /// The first code from a newly set up authenticator app. Answer with ``Answer/code(_:)``.
    case enrolment(Enrolment)
    /// The account's password.
    case password
    /// A new password that satisfies `rules`.
    case newPassword(rules: [String])
    /// A choice between several options.
    case choose([Option])
    /// A form to fill in.
    case fields([Field])
    /// A visit to `url` in a browser, which ends at `redirect`. The URL is not secret, but valid
    /// for this sign-in only.
    case visit(url: String, redirect: String)
    /// A code to enter on another device. The engine polls in the meantime.
    case device(Device)
    /// A solved captcha.
    case captcha(siteKey: String)
    /// A signature by a passkey.
    case passkey(request: JSON)
    /// A signature by a wallet.
    case wallet(message: String)

    /// One option of a choice.
    public struct Option: Hashable, Sendable {
        /// The value to answer with.
        public var id: String
        /// The text to show.
        public var label: String

        /// Creates an option.
        public init(id: String, label: String) {
            self.id = id
            self.label = label
        }
    }

    /// A form field. If it has ``rules``, it asks for a new password.
    public struct Field: Hashable, Sendable {
        /// The service's name for the field.
        public var name: String
        /// Whether the input is hidden while typing.
        public var secret: Bool
        /// Whether the field must be filled in.
        public var required: Bool
        /// The rules for a new password, one sentence each; `nil` if the field is not a new password.
        public var rules: [String]?

        /// Creates a field.
        public init(name: String, secret: Bool = false, required: Bool = true, rules: [String]? = nil) {
            self.name = name
            self.secret = secret
            self.required = required
            self.rules = rules
        }

        /// Creates a field for a new password that satisfies `rules`. Input is hidden, and a screen
        /// asks for it twice.
        public static func newPassword(_ name: String, rules: [String] = []) -> Field {
            Field(name: name, secret: true, rules: rules)
        }
    }

    /// The key that sets up an authenticator app (RFC 6238). Anyone who sees it can generate the codes.
    public struct Enrolment: Hashable, Sendable {
        /// The shared key in Base32 (RFC 4648, section 6), for people who type it.
        public var key: String
        /// The same key as an `otpauth:` address, for a QR code.
        public var address: String

        /// Creates an enrolment.
        public init(key: String, address: String) {
            self.key = key
            self.address = address
        }
    }

    /// A code to enter on another device (RFC 8628, section 3.2).
    public struct Device: Hashable, Sendable {
        /// The code that the person enters.
        public var userCode: String
        /// The address where the person enters it.
        public var at: String
        /// The address with the code in it, for a QR code.
        public var complete: String?
        /// How long to wait before the first poll and between polls.
        public var interval: Duration

        /// Creates a device code.
        public init(userCode: String, at: String, complete: String? = nil, interval: Duration = .seconds(5)) {
            self.userCode = userCode
            self.at = at
            self.complete = complete
            self.interval = interval
        }
    }
}

/// The answer of a person, a browser or the engine. Everything a person types or a browser returns
/// is a ``Secret``.
public enum Answer: Sendable {
    /// The code.
    case code(Secret)
    /// The password.
    case password(Secret)
    /// The ID of the chosen option.
    case choice(String)
    /// The form's values, by field name.
    case fields([String: Secret])
    /// The full address that the browser arrived at.
    case redirected(Secret)
    /// The signed assertion.
    case assertion(Secret)
    /// A request to send the code or link again.
    case resend
    /// A question whether the other device has approved. Only the engine sends it.
    case poll
    /// The person declined.
    case declined
}
