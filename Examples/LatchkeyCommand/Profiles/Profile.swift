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

    /// How the person signs in.
    enum Method: String, Hashable, Sendable {
        /// In a browser of this machine.
        case browser
        /// With a code on another device.
        case device
    }

    /// Its name, as ``ProfileName`` allows.
    var name: String
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
    /// Members of the file that this version does not know.
    var unknown: [String: JSON] = [:]
}
