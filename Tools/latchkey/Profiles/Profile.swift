import Latchkey
import LatchkeyJSON
import LatchkeyLoopback

/// What a person signs in with: a service, a client, and a method. Holds no secret.
struct Profile: Hashable, Sendable {
    /// Where the client's secret comes from, each time it is needed.
    enum ClientSecret: Hashable, Sendable {
        /// There is none: a public client.
        case none
        /// From the environment's `LATCHKEY_CLIENT_SECRET`, as long as the profile's receiver is this one.
        case environment(for: SecretReceiver)
        /// From the first line of a private file.
        case file(String)
        /// From the person, at the terminal.
        case prompt
    }

    /// The kind of service.
    enum Service: Hashable, Sendable {
        /// OAuth 2 or OpenID Connect.
        case oauth
        /// A Supabase project: ``issuer`` is its URL, ``clientID`` its publishable key.
        case supabase
        /// A Clerk instance: ``issuer`` is the URL of its Frontend API, ``clientID`` its publishable key.
        case clerk
        /// A kind of a newer version.
        case unknown(String)

        /// Whether people sign in without a web page of the service, unless they ask for a browser.
        var isDirect: Bool { self == .supabase || self == .clerk }

        /// The kind's name, one word.
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
        /// In a browser on this machine.
        case browser
        /// With a code on another device.
        case device
        /// With a password.
        case password
        /// With a code that is sent.
        case code
        /// With a link that is sent.
        case link
        /// With the client's own secret, without a person.
        case service
    }

    /// The profile's name (``ProfileName``).
    var name: String
    /// The kind of service.
    var service = Service.oauth
    /// The URL of the service.
    var issuer: String
    /// Whether ``issuer`` is the service's own. If not, it is the origin of the token endpoint, and there is no document.
    var hasIssuer = true
    /// The endpoints that the profile names, in place of the document's or without one.
    var endpoints: [ServiceEndpoint: String] = [:]
    /// The client identifier.
    var clientID: String
    /// Where the client's secret comes from.
    var clientSecret = ClientSecret.none
    /// Whether the client's secret is sent in the body instead of the `Authorization` header.
    var sendsSecretInBody = false
    /// Whether HTTP Basic has the client's id and secret as they are, without the encoding of the standard.
    var sendsSecretRaw = false
    /// The audiences of tokens in addition to the service's default.
    var audiences: [String] = []
    /// The origins that `latchkey request` may send tokens to, such as `https://api.example.com`.
    var allowedOrigins: [String] = []
    /// The requested scopes; empty for the service's default.
    var scopes: [String] = []
    /// Whether no scope is requested, instead of the default.
    var asksNoScope = false
    /// Whether ``scopes`` are requested in addition to the default.
    var keepsDefaultScopes = false
    /// The port of the redirect address; `nil` for any.
    var redirectPort: UInt16?
    /// The redirect address as it is registered at the service, without its port; `nil` for the usual one.
    var redirect: LoopbackRedirect?
    /// How the person signs in.
    var method = Method.browser
    /// The identity provider behind the service for the browser.
    var connection: String?
    /// A file with the authorities to trust instead of the system's, an absolute path.
    var caFile: String?
    /// The HTTP proxy to use instead of the environment's.
    var proxy: String?
    /// The audiences that an ID token may name in addition to the client.
    var trustedAudiences: [String] = []
    /// The issuers, beside the project's own, whose sessions may be taken over.
    var trustedIssuers: [String] = []
    /// Whether offline access asks for consent; `nil` if that depends on the service.
    var asksConsent: Bool?
    /// For how long the service repeats its answer to a used refresh token; `nil` if that is not known.
    var reuseInterval: Duration?
    /// How far a revocation reaches at the service; `nil` for what is known of it.
    var revocationReach: RevocationReach?
    /// Parameters of the browser's address that are specific to the service.
    var parameters: [String: String] = [:]
    /// The product that requests name before `latchkey/VERSION`, such as `Notes/1.2`.
    var product: String?
    /// Where the session is kept; `nil` for files, as before there was a choice.
    var place: SessionPlace?
    /// The directory that is accepted with the access that others have to it, an absolute path without links.
    var acceptedDirectory: String?
    /// Members of the file that this version does not support.
    var unknown: [String: JSON] = [:]
}

extension Profile {
    /// Where the browser comes back to.
    var redirectPlace: LoopbackRedirect {
        var place = redirect ?? LoopbackRedirect()
        place.port = redirectPort
        return place
    }

    /// Who gets the client's secret.
    var secretReceiver: SecretReceiver {
        let named = ServiceEndpoint.allCases.filter(\.isSentSecret).compactMap { endpoints[$0] }
        return SecretReceiver(parties: [issuer, clientID] + named)
    }

    /// The service and the client, for people.
    var target: ToolText {
        switch service {
        case .oauth: return ToolText("target.oauth", ["issuer": issuer, "client": clientID])
        case .supabase:
            // The older keys are tokens, too long for a line.
            let key = clientID.count > 48 ? clientID.prefix(20) + "…" : clientID[...]
            return ToolText("target.supabase", ["url": issuer, "key": String(key)])
        case .clerk: return ToolText("target.clerk", ["url": issuer])
        case .unknown(let kind): return ToolText("target.unknown", ["issuer": issuer, "kind": kind])
        }
    }

    /// Checks that this version supports the service.
    ///
    /// - Throws: `store(newerVersion)`.
    func checkKnown() throws {
        guard case .unknown(let kind) = service else { return }
        throw ToolError(.store(.newerVersion), "error.unknownService", ["profile": name, "kind": kind])
    }
}
