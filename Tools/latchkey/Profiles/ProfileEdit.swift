import Latchkey
import LatchkeyOAuth
import LatchkeyLoopback

/// Changes to a profile that need no new sign-in, or take effect with the next one.
enum ProfileEdit {
    /// The options that change something which the service is not asked about.
    static let local: [Option] = [
        .allowOrigin, .caFile, .proxyServer, .product, .trustAudience, .trustIssuer, .revocationReach, .reuseInterval,
        .acceptDirectory,
    ]

    /// Changes `profile` as the options say. Values that can be several are replaced.
    static func apply(_ invocation: Invocation, to profile: inout Profile) throws {
        let arguments = invocation.arguments
        try applyScopes(arguments, to: &profile)
        if arguments.has(.loginAudience) { profile.audiences = arguments.all(.loginAudience) }
        try applyAuthentication(arguments, to: &profile)
        try ServiceEndpoint.take(arguments, into: &profile.endpoints)
        try applyRedirect(arguments, to: &profile)
        if let word = arguments[.consent] { profile.asksConsent = word == "always" }
        if arguments.has(.parameter) { profile.parameters = try parameters(arguments) }
        if arguments.command.name == Command.profiles.name { try applyKey(arguments, to: &profile) }
        try applyLocal(invocation, to: &profile)
        // Last, because it is bound to what the profile says now.
        profile.clientSecret = try clientSecret(invocation, of: profile) ?? profile.clientSecret
    }

    /// The options for parameters that the protocol has for what a person may choose.
    private static let ownOptions: [String: Option] = [
        "scope": .scope, "resource": .loginAudience, "redirect_uri": .redirectURI, "client_id": .clientID,
        "client_secret": .clientSecretFile,
    ]

    private static func parameters(_ arguments: Arguments) throws -> [String: String] {
        var found: [String: String] = [:]
        for text in arguments.all(.parameter) {
            guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
                throw UsageError("usage.parameter", command: arguments.command)
            }
            let name = String(text[..<sign])
            if let option = ownOptions[name] {
                throw UsageError(
                    "usage.parameterOption", ["name": name, "option": "--\(option.name)"], command: arguments.command)
            }
            if OAuthProvider.setsItself(parameter: name) {
                throw UsageError("usage.parameterOwn", ["name": name], command: arguments.command)
            }
            found[name] = String(text[text.index(after: sign)...])
        }
        return found
    }

    /// Changes what ``local`` names.
    static func applyLocal(_ invocation: Invocation, to profile: inout Profile) throws {
        let arguments = invocation.arguments
        if arguments.has(.allowOrigin) { profile.allowedOrigins = try origins(arguments.all(.allowOrigin), arguments) }
        if let path = arguments[.caFile] { profile.caFile = try absolute(path, .caFile, arguments) }
        if let path = arguments[.acceptDirectory] {
            guard let real = AcceptedDirectory.real(path) else {
                throw UsageError("usage.acceptDirectory", command: arguments.command)
            }
            profile.acceptedDirectory = real
        }
        if let proxy = arguments[.proxyServer] { profile.proxy = try checked(proxy, arguments) }
        if arguments.has(.trustAudience) { profile.trustedAudiences = arguments.all(.trustAudience) }
        if arguments.has(.trustIssuer) { profile.trustedIssuers = try issuers(arguments, for: profile) }
        if let interval = arguments.duration(.reuseInterval) { profile.reuseInterval = interval }
        if let word = arguments[.revocationReach] { profile.revocationReach = RevocationReach(rawValue: word) }
        if let product = arguments[.product] {
            guard (try? UserAgent(products: product)) != nil else {
                throw UsageError("usage.product", command: arguments.command)
            }
            profile.product = product
        }
    }

    /// Removes what `--clear` names.
    static func clear(_ arguments: Arguments, in profile: inout Profile) {
        for word in arguments.all(.clear) {
            if let endpoint = ServiceEndpoint.allCases.first(where: { $0.option.name == word }) {
                profile.endpoints[endpoint] = nil
                continue
            }
            switch word {
            case Option.scope.name:
                (profile.scopes, profile.asksNoScope, profile.keepsDefaultScopes) = ([], false, false)
            case Option.allowOrigin.name: profile.allowedOrigins = []
            case Option.loginAudience.name: profile.audiences = []
            case Option.port.name: profile.redirectPort = nil
            case Option.redirectURI.name: (profile.redirect, profile.redirectPort) = (nil, nil)
            case Option.caFile.name: profile.caFile = nil
            case Option.acceptDirectory.name: profile.acceptedDirectory = nil
            case Option.proxyServer.name: profile.proxy = nil
            case Option.product.name: profile.product = nil
            case Option.trustAudience.name: profile.trustedAudiences = []
            case Option.trustIssuer.name: profile.trustedIssuers = []
            case Option.revocationReach.name: profile.revocationReach = nil
            case Option.parameter.name: profile.parameters = [:]
            case Option.consent.name: profile.asksConsent = nil
            case Option.reuseInterval.name: profile.reuseInterval = nil
            default:
                (profile.clientSecret, profile.sendsSecretInBody, profile.sendsSecretRaw) = (.none, false, false)
            }
        }
    }

    /// What `--clear` may name.
    static let clearable =
        [
            Option.scope, .allowOrigin, .loginAudience, .port, .redirectURI, .caFile, .proxyServer, .product,
            .trustAudience, .trustIssuer, .consent, .revocationReach, .parameter, .reuseInterval,
            .acceptDirectory,
        ].map(\.name) + ServiceEndpoint.allCases.map(\.option.name) + ["client-secret"]

    private static func applyScopes(_ arguments: Arguments, to profile: inout Profile) throws {
        guard arguments.has(.noScope) else {
            if arguments.has(.scope) {
                (profile.scopes, profile.asksNoScope, profile.keepsDefaultScopes) = (scopes(arguments), false, false)
            }
            return
        }
        guard !arguments.has(.scope) else {
            throw UsageError(
                "usage.onlyOne", ["first": "--\(Option.scope.name)", "second": "--\(Option.noScope.name)"],
                command: arguments.command)
        }
        (profile.scopes, profile.asksNoScope, profile.keepsDefaultScopes) = ([], true, false)
    }

    private static func applyAuthentication(_ arguments: Arguments, to profile: inout Profile) throws {
        let ways = [Option.clientSecretInBody, .clientSecretRaw].filter(arguments.has)
        guard ways.count < 2 else {
            throw UsageError(
                "usage.onlyOne", ["first": "--\(ways[0].name)", "second": "--\(ways[1].name)"],
                command: arguments.command)
        }
        guard let way = ways.first else { return }
        (profile.sendsSecretInBody, profile.sendsSecretRaw) = (way == .clientSecretInBody, way == .clientSecretRaw)
    }

    private static func applyRedirect(_ arguments: Arguments, to profile: inout Profile) throws {
        if let text = arguments[.redirectURI] {
            guard var redirect = try? LoopbackRedirect(text) else {
                throw UsageError("usage.redirect", command: arguments.command)
            }
            guard redirect.port == nil || !arguments.has(.port) else {
                throw UsageError(
                    "usage.onlyOne", ["first": "--port", "second": "--redirect-uri"], command: arguments.command)
            }
            // Without a port, the service takes any.
            profile.redirectPort = redirect.port
            redirect.port = nil
            profile.redirect = redirect
        }
        if let port = arguments.port(.port) { profile.redirectPort = port }
    }

    /// Returns the scopes in `--scope`, each once.
    static func scopes(_ arguments: Arguments) -> [String] {
        var scopes: [String] = []
        for scope in arguments.all(.scope).flatMap({ $0.split(separator: " ") }).map(String.init)
        where !scopes.contains(scope) { scopes.append(scope) }
        return scopes
    }

    private static func origins(_ texts: [String], _ arguments: Arguments) throws -> [String] {
        try texts.map { text in
            guard let address = WebAddress(text), address.isSecure, address.path.isEmpty || address.path == "/" else {
                throw UsageError("usage.origin", command: arguments.command)
            }
            return address.origin
        }
    }

    private static func clientSecret(
        _ invocation: Invocation, of profile: Profile
    ) throws -> Profile.ClientSecret? {
        let arguments = invocation.arguments
        let given = [Option.clientSecretFile, .clientSecretEnvironment, .askClientSecret].filter(arguments.has)
        guard given.count < 2 else {
            throw UsageError(
                "usage.onlyOne", ["first": "--\(given[0].name)", "second": "--\(given[1].name)"],
                command: arguments.command)
        }
        if arguments.has(.askClientSecret) { return .prompt }
        if arguments.has(.clientSecretEnvironment) { return .environment(for: profile.secretReceiver) }
        if let path = arguments[.clientSecretFile] { return .file(try absolute(path, .clientSecretFile, arguments)) }
        return nil
    }

    /// Returns the proxy's address, which must hold no password: it is shown, and kept in the open.
    private static func checked(_ proxy: String, _ arguments: Arguments) throws -> String {
        let parts = proxy.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, proxySchemes.contains(parts[0].lowercased()), parts[1].isEmpty, !parts[2].isEmpty else {
            throw UsageError("usage.proxy", command: arguments.command)
        }
        guard !parts[2].contains("@") else { throw UsageError("usage.proxyPassword", command: arguments.command) }
        return proxy
    }

    private static let proxySchemes = ["http:", "https:", "socks4:", "socks4a:", "socks5:", "socks5h:"]

    private static func absolute(_ path: String, _ option: Option, _ arguments: Arguments) throws -> String {
        if path.hasPrefix("/") { return path }
        guard let directory = WorkingDirectory.path else {
            throw UsageError("usage.absolute", ["option": "--\(option.name)"], command: arguments.command)
        }
        return "\(directory)/\(path)"
    }
}
