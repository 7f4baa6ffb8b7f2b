import Latchkey

/// A document that names another issuer than the one it was fetched for (RFC 8414, section 3.3).
struct IssuerMismatch {
    var configured: String
    var named: String

    /// The error, which names both issuers, and the difference if it is a likely slip.
    var error: AuthError {
        guard let named = WebAddress(named), shown.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return AuthError(.untrusted(.issuer), "The discovery document names another issuer.")
        }
        let both = "The configured issuer is \(configured), and the service calls itself \(shown)"
        guard let slip = slip(named) else {
            return AuthError(.untrusted(.issuer), "\(both).")
        }
        return AuthError(
            .configuration(.invalid), "\(both): they differ by \(slip). Configure it as the service writes it.")
    }

    /// The document's issuer, cut, because it is foreign text.
    private var shown: String { String(named.prefix(200)) }

    private func slip(_ other: WebAddress) -> String? {
        guard let own = WebAddress(configured), own.scheme == other.scheme, own.port == other.port,
            own.query == nil, other.query == nil, own.fragment == nil, other.fragment == nil
        else { return nil }
        let sameHost = own.host == other.host
        let samePath = own.path == other.path
        let isSlash = Self.bare(own.path) == Self.bare(other.path)
        let isLoopback = own.isLoopback && other.isLoopback
        switch (sameHost, samePath) {
        case (true, false) where isSlash: return "the slash at the end"
        case (false, true) where isLoopback: return "the name of this machine"
        case (false, false) where isLoopback && isSlash: return "the name of this machine and the slash at the end"
        case (true, true): return "how they are written"
        default: return nil
        }
    }

    private static func bare(_ path: String) -> Substring { path.hasSuffix("/") ? path.dropLast() : path[...] }
}
