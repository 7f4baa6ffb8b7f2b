import LatchkeyDevServer

/// An identity service for a test, with a client for each flow.
enum Service {
    /// The secret of `confidential`, with characters that must be encoded.
    static let clientSecret = "app+secret/100%"

    /// A running service that asks nobody and is polled each second.
    static func start(_ change: (inout DevServer.Configuration) -> Void = { _ in }) throws -> DevServer {
        var configuration = DevServer.Configuration(autoApprove: true)
        configuration.deviceInterval = 1
        // Keys for RSA take longer to make than most tests here.
        configuration.signing = .es256
        configuration.clients.append(
            DevServer.Client(
                id: "confidential", secret: clientSecret, redirectURIs: ["http://127.0.0.1/callback"],
                grants: [.authorizationCode, .refreshToken]))
        change(&configuration)
        return try DevServer(configuration)
    }
}
