import Latchkey
public import LatchkeyJSON
import LatchkeyOAuthCore

/// What an instance says about itself: the same for everybody, and public. A member that is missing has the value of an
/// instance that nobody has changed. Members without a property of their own are in ``json``.
public struct ClerkEnvironment: Sendable {
    /// How new people come to an instance.
    public enum SignUpMode: String, Sendable, CaseIterable {
        /// Anybody can sign up.
        case open = "public"
        /// People with an invitation only.
        case restricted
        /// People whom the instance has let in from its waitlist: ``ClerkHandle/joinWaitlist(_:)``.
        case waitlist
    }

    /// A service where people can sign in, for ``/Latchkey/SignInMethod/browser(connection:)``.
    public struct Connection: Hashable, Sendable, Identifiable {
        /// The name to sign in with, such as `github`.
        public let id: String
        /// The display name, such as "GitHub".
        public let name: String
    }

    /// The whole answer of the service.
    public let json: JSON

    init(_ json: JSON) { self.json = json }

    private var display: JSON { json["display_config"] ?? .null }
    private var rules: JSON { json["auth_config"] ?? .null }
    private var users: JSON { json["user_settings"] ?? .null }

    /// The name that the instance shows to people.
    public var applicationName: String? { display["application_name"]?.string }

    /// Whether this is a development instance, whose limits and addresses are not those of production.
    public var isDevelopment: Bool { display["instance_environment_type"]?.string == "development" }

    /// How new people come to the instance. A word that is not known counts as ``SignUpMode/restricted``.
    public var signUpMode: SignUpMode {
        guard let word = users["sign_up"]?["mode"]?.string else { return .open }
        return SignUpMode(rawValue: word) ?? .restricted
    }

    /// Whether a sign-up asks the person to accept the terms.
    public var asksForConsent: Bool { users["sign_up"]?["legal_consent_enabled"]?.bool ?? false }

    /// The page of the terms; `nil` if there is none, or its address is not secure.
    public var termsURL: String? { page("terms_url") }

    /// The page of the privacy policy; `nil` if there is none, or its address is not secure.
    public var privacyPolicyURL: String? { page("privacy_policy_url") }

    /// The instance's own page for joining the waitlist; `nil` if there is none, or its address is not secure.
    public var waitlistURL: String? { page("waitlist_url") }

    private func page(_ name: String) -> String? {
        display[name]?.string.flatMap { WebAddress($0)?.isSecure == true ? $0 : nil }
    }

    /// Whether a client has one session at most.
    public var isSingleSession: Bool { rules["single_session_mode"]?.bool ?? true }

    /// The fields that a sign-up needs, in the service's words, such as `email_address` and `password`; sorted.
    public var neededFields: [String] {
        (users["attributes"]?.object ?? [:]).filter {
            $0.value["enabled"]?.bool != false && $0.value["required"]?.bool == true
        }
        .keys.sorted()
    }

    /// The services where people can sign in; sorted by name.
    public var connections: [Connection] {
        let found = (users["social"]?.object ?? [:]).compactMap { strategy, entry -> Connection? in
            guard strategy.hasPrefix("oauth_"), entry["enabled"]?.bool == true, entry["authenticatable"]?.bool != false
            else { return nil }
            let id = String(strategy.dropFirst("oauth_".count))
            return Connection(id: id, name: entry["name"]?.string ?? id)
        }
        return found.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// The fewest and the most characters of a password; the service's own limits are 8 and 72.
    public var passwordLength: ClosedRange<Int> {
        let rules = users["password_settings"]
        func limit(_ name: String, _ usual: Int) -> Int {
            // The service writes 0 for its own limit.
            rules?[name]?.integer.flatMap { (1...10_000).contains($0) ? Int($0) : nil } ?? usual
        }
        let least = limit("min_length", 8)
        return least...max(least, limit("max_length", 72))
    }
}

/// What this library asks of it.
extension ClerkEnvironment {
    /// Whether tokens come from an edge, which wants the previous one.
    var mintsAtEdge: Bool { rules["session_minter"]?.bool ?? false }

    /// The second factors that a person can set up: `totp`, `phone_code`.
    var secondFactors: Set<String> {
        func isOffered(_ name: String) -> Bool? {
            guard let attribute = users["attributes"]?[name] else { return nil }
            return attribute["enabled"]?.bool != false && attribute["used_for_second_factor"]?.bool == true
        }
        var factors: Set<String> = isOffered("authenticator_app") == false ? [] : ["totp"]
        if isOffered("phone_number") == true { factors.insert("phone_code") }
        return factors
    }

    /// The pages of the terms and of the privacy policy, as far as the instance has them.
    var legalPlaces: [String] { [termsURL, privacyPolicyURL].compactMap(\.self) }
}
