import Latchkey
import LatchkeyJSON

/// With what a person signs in: a service, a client, and how. Holds no secret.
struct Profile: Hashable, Sendable {
    /// How the client's secret is obtained, each time it is needed.
    enum ClientSecret: Hashable, Sendable {
        /// There is none: a public client.
        case none
        /// From the environment's `LATCHKEY_CLIENT_SECRET`.
        case environment
        /// From the first line of a private file.
        case file(String)
        /// From the person, at the terminal.
        case prompt
    }

    /// What kind of service it is.
    enum Service: Hashable, Sendable {
        /// OAuth 2 or OpenID Connect.
        case oauth
        /// A Supabase project: ``issuer`` is its URL, ``clientID`` its publishable key.
        case supabase
        /// A Clerk instance: ``issuer`` is where its Frontend API is reached, ``clientID`` its publishable key.
        case clerk
        /// One of a newer version.
        case unknown(String)

        /// Whether people sign in here, without a page of the service, unless a browser is asked for.
        var isDirect: Bool { self == .supabase || self == .clerk }

        /// The kind in one word.
        var name: String {
            switch self {
            case .oauth: "oauth"
            case .supabase: "supabase"
            case .clerk: "clerk"
            case .unknown(let name): name
            }
        }
    }

    /// How the person signs in.
    enum Method: String, Hashable, Sendable {
        /// In a browser of this machine.
        case browser
        /// With a code on another device.
        case device
        /// With a password.
        case password
        /// With a code that is sent.
        case code
        /// With a link that is sent.
        case link
    }

    /// Its name, as ``ProfileName`` allows.
    var name: String
    /// What kind of service it is.
    var service = Service.oauth
    /// The service.
    var issuer: String
    /// The client.
    var clientID: String
    /// How the client's secret is obtained.
    var clientSecret = ClientSecret.none
    /// Whether the client's secret is sent in the body instead of the `Authorization` header.
    var sendsSecretInBody = false
    /// What tokens may be wanted for besides the service's default.
    var audiences: [String] = []
    /// Where "latchkey request" may send tokens: origins such as `https://api.example.com`.
    var allowedOrigins: [String] = []
    /// What is asked for; empty: what the service gives.
    var scopes: [String] = []
    /// The port of the redirect address; `nil`: any.
    var redirectPort: UInt16?
    /// How the person signs in.
    var method = Method.browser
    /// At which identity provider behind the service the browser signs in.
    var connection: String?
    /// Where its session is; `nil`: in files, as before there was a choice.
    var place: SessionPlace?
    /// Members of the file that this version does not know.
    var unknown: [String: JSON] = [:]
}

extension Profile {
    /// The service and the client, for people.
    var target: ToolText {
        switch service {
        case .oauth: return ToolText("target.oauth", ["issuer": issuer, "client": clientID])
        case .supabase:
            // The older keys are tokens of two lines.
            let key = clientID.count > 48 ? clientID.prefix(20) + "…" : clientID[...]
            return ToolText("target.supabase", ["url": issuer, "key": String(key)])
        case .clerk: return ToolText("target.clerk", ["url": issuer])
        case .unknown(let kind): return ToolText("target.unknown", ["issuer": issuer, "kind": kind])
        }
    }

    /// Returns for a service that this version can speak to.
    ///
    /// - Throws: `store(newerVersion)`.
    func checkKnown() throws {
        guard case .unknown(let kind) = service else { return }
        throw ToolError(.store(.newerVersion), "error.unknownService", ["profile": name, "kind": kind])
    }
}
