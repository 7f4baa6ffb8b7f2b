public import Latchkey
import LatchkeyOAuthCore

extension OAuthProvider: ConfigurationChecking {
    /// Checks that ids, scopes, addresses and authentication can be used as they are.
    ///
    /// - Throws: `configuration(.invalid)`, naming the first one that cannot be used.
    public func checkConfiguration() throws(AuthError) {
        try demand(
            !clientID.isEmpty && clientID.utf8.allSatisfy { (0x20...0x7E).contains($0) },
            "The client id is empty or holds characters that are not visible ASCII.")
        if let issuer {
            _ = try Discovery.addresses(of: issuer)
        } else {
            try demand(endpoints.token != nil, "There is neither an issuer nor a token endpoint.")
        }
        for (endpoint, address) in endpoints.given {
            try demand(
                WebAddress(address).map { $0.isSecure && $0.fragment == nil } == true,
                "The \(endpoint) endpoint is neither https nor loopback http.")
        }
        try checkScopes(scopes ?? additionalScopes)
        try checkAuthentication()
        if let redirect { try check(redirect: redirect) }
        for resource in resources { try check(resource: resource) }
        for name in parameters.keys.sorted() { try check(parameter: name) }
    }

    /// Whether ``parameters`` cannot have `name`.
    package static func setsItself(parameter name: String) -> Bool {
        OAuthWire.ownParameters.contains(name) || name.isEmpty || !name.utf8.allSatisfy(isParameterByte)
    }

    /// Checks the name of a parameter that is specific to the service (RFC 6749, section 8.2).
    func check(parameter name: String) throws(AuthError) {
        let isName = !name.isEmpty && name.utf8.allSatisfy(Self.isParameterByte)
        try demand(isName, "The name of a parameter is empty or holds other than letters, digits, `.`, `-` and `_`.")
        try demand(
            !OAuthWire.ownParameters.contains(name), "The protocol itself sets the parameter `\(name)`: leave it out.")
    }

    /// Checks scopes by RFC 6749, section 3.3: visible ASCII without quotes and backslashes.
    func checkScopes(_ scopes: [String]) throws(AuthError) {
        for scope in scopes {
            try demand(
                AccessToken.isScope(scope), "A scope is empty or holds a character that scopes may not have.")
        }
        try demand(
            issuer != nil || !scopes.contains(OAuthWire.Scope.openid),
            "The scope `openid` needs an issuer, which says who signs ID tokens.")
    }

    /// Checks a redirect by RFC 8252, section 7: https, a private-use scheme with a dot, or http to this machine.
    func check(redirect: String) throws(AuthError) {
        let address = WebAddress(redirect)
        try demand(address != nil && address?.fragment == nil, "The redirect is no absolute URI without a fragment.")
        switch address?.scheme {
        case "https": break
        case "http": try demand(address?.isLoopback == true, "A redirect over http goes to another machine.")
        case .some(let scheme):
            try demand(scheme.contains("."), "The private-use scheme of the redirect has no dot.")
        case nil: break
        }
    }

    /// Checks a resource by RFC 8707, section 2: an absolute URI without a fragment.
    func check(resource: String) throws(AuthError) {
        try demand(
            WebAddress(resource).map { $0.fragment == nil } == true,
            "A resource is no absolute URI without a fragment.")
    }

    private func checkAuthentication() throws(AuthError) {
        let secret: Secret? =
            switch authentication {
            case .none: nil
            case .basic(let secret, encoding: _), .post(let secret): secret
            }
        try demand(secret?.isEmpty != true, "The client secret is empty.")
        // One whose secret is not at hand sends nothing that needs it.
        try demand(
            secret != nil || flow == .person || lacksSecret,
            "A program that signs in itself needs client authentication.")
    }

    private static func isParameterByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private func demand(_ condition: Bool, _ message: String) throws(AuthError) {
        guard condition else { throw AuthError(.configuration(.invalid), message, provider: name) }
    }
}
