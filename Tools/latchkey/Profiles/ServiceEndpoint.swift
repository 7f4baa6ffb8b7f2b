import Latchkey

/// An endpoint of a service that a profile may name itself.
enum ServiceEndpoint: String, CaseIterable, Hashable, Sendable {
    case authorization, token, device, revocation, userinfo

    /// The option that names it.
    var option: Option {
        switch self {
        case .authorization: .authorizationEndpoint
        case .token: .tokenEndpoint
        case .device: .deviceEndpoint
        case .revocation: .revocationEndpoint
        case .userinfo: .userinfoEndpoint
        }
    }

    /// Whether requests to it may have the client's secret.
    var isSentSecret: Bool { self == .token || self == .device || self == .revocation }
}

extension Option {
    static let authorizationEndpoint = value(
        "authorization-endpoint", "URL", .url,
        "The page that the browser opens, where no document of the service says it")
    static let tokenEndpoint = value(
        "token-endpoint", "URL", .url,
        "Where tokens come from; without --issuer, the service is known by this address and has no ID tokens")
    static let deviceEndpoint = value(
        "device-endpoint", "URL", .url, "Where a sign-in with --device begins (the device authorization endpoint)")
    static let revocationEndpoint = value("revocation-endpoint", "URL", .url, "Where tokens are revoked")
    static let userinfoEndpoint = value("userinfo-endpoint", "URL", .url, "Where the person's claims are")
}

extension ServiceEndpoint {
    /// Takes the addresses in the options into `endpoints`.
    ///
    /// - Throws: ``UsageError`` for an address that no token may be sent to.
    static func take(_ arguments: Arguments, into endpoints: inout [ServiceEndpoint: String]) throws {
        for endpoint in allCases {
            try checkAddress(arguments, endpoint.option)
            if let address = arguments[endpoint.option] { endpoints[endpoint] = address }
        }
    }

    /// Refuses the address of a service that no token may be sent to.
    static func checkAddress(_ arguments: Arguments, _ option: Option) throws {
        guard let text = arguments[option] else { return }
        guard let address = WebAddress(text), !address.host.isEmpty else {
            throw UsageError(
                "usage.addressMalformed", ["option": "--\(option.name)"], command: arguments.command)
        }
        if address.isSecure { return }
        guard address.scheme == "http" else {
            throw UsageError(
                "usage.scheme", ["option": "--\(option.name)", "scheme": address.scheme], command: arguments.command)
        }
        throw UsageError(
            "usage.plainHTTP", ["option": "--\(option.name)", "origin": address.origin],
            hint: ToolText("hint.https", ["origin": "https" + address.origin.dropFirst("http".count)]))
    }
}
