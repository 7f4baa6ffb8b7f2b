public import Latchkey

extension SupabaseProvider: ConfigurationChecking {
    /// Checks that address, key, redirect and trusted issuers can be used as they are.
    ///
    /// - Throws: `configuration(.invalid)`, naming the first one that cannot be used.
    public func checkConfiguration() throws(AuthError) {
        let address = WebAddress(authURL)
        try demand(
            address.map { $0.isSecure && $0.query == nil && $0.fragment == nil } == true,
            "The project URL is neither https nor loopback http, or holds more than a path.")
        if let key = publishableKey {
            try demand(
                !key.isEmpty && key.utf8.allSatisfy { (0x21...0x7E).contains($0) },
                "The publishable key is empty or holds characters that no key has.")
            try demand(
                !key.hasPrefix("sb_secret_") && !AccessClaims(of: Secret(key)).isOfServer,
                "The key is a secret one, which opens the whole project; an app takes the publishable key.")
        }
        if let redirect { try check(redirect: redirect) }
        try demand(
            trustedIssuers.allSatisfy(Self.mayBeIssuer),
            "A trusted issuer is neither https nor loopback http, or holds more than a path.")
    }

    /// Whether an address can be an issuer. Over plain http, a network could answer in its place.
    package static func mayBeIssuer(_ text: String) -> Bool {
        WebAddress(text).map { $0.isSecure && !$0.host.isEmpty && $0.query == nil && $0.fragment == nil } ?? false
    }

    /// Checks a redirect: the service keeps one only if it is an absolute address with two slashes.
    func check(redirect: String) throws(AuthError) {
        let address = WebAddress.redirect(redirect)
        try demand(
            address != nil && address?.fragment == nil, "The redirect is no absolute URL without a fragment.")
        let scheme = redirect.prefix { $0 != ":" }
        try demand(
            scheme == address?.scheme ?? "" && redirect.dropFirst(scheme.count).hasPrefix("://"),
            "The redirect needs a lower-case scheme and two slashes; the service drops any other.")
        try demand(
            address?.scheme != "http" || address?.isLoopback == true,
            "A redirect over http goes to another machine.")
    }

    private func demand(_ condition: Bool, _ message: String) throws(AuthError) {
        guard condition else { throw AuthError(.configuration(.invalid), message, provider: name) }
    }
}
