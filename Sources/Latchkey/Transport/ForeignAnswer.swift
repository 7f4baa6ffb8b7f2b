/// An answer that something else gave in place of the service: a network that wants a sign-in of its own, a proxy, a
/// firewall, a load balancer.
///
/// A provider makes one of every answer that is not in its service's own form, whatever the status. It says nothing
/// about the session: ``AuthError/init(_:provider:retryAfter:)`` is an error after which the session is kept and the
/// call can be repeated.
public struct ForeignAnswer: Hashable, Sendable {
    /// What the answer says.
    @nonexhaustive
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// A web page came with a status that means success, or with 511, as of networks that want a sign-in.
        case networkSignIn
        /// A proxy wants a name and a password (407).
        case proxySignIn
        /// The request is sent on to another address (3xx).
        case redirect
        /// A gateway wants a sign-in, or a key of its own (401).
        case signIn
        /// A firewall, or a check for robots, stopped the request.
        case blocked
        /// There were too many requests.
        case busy
        /// The request, or its head, is too large for a gateway.
        case tooLarge
        /// Nothing of the service answers at the address (404, 410).
        case notFound
        /// Any other status from 400 to 499.
        case refused
        /// The service is down, or a gateway does not reach it (5xx).
        case outage
        /// A status that means success, with a body that is not of the service's form, or with none.
        case unreadable
    }

    /// What the answer says.
    public var kind: Kind
    /// The status.
    public var status: Int
    /// The address, or the origin, that was asked; `nil` if not known.
    public var place: String?
    /// The origin of the address to which the request is sent on; `nil` for the one that was asked.
    public var target: String?
    /// The product that the answer names as its server, if it is one of those that are known.
    public var product: String?

    /// Reads an answer that is not of the service's own form.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - url: The address that was asked. Only its origin is kept, because a path may hold an identifier.
    ///   - showsPath: Whether the path is kept as well: for addresses that are public, such as a discovery document's.
    public init(_ response: TransportResponse, from url: String?, showsPath: Bool = false) {
        let address = url.flatMap { WebAddress($0) }
        status = response.status
        place = address.map { $0.origin + (showsPath ? $0.path : "") }
        product = Self.product(response.fields["Server"])
        kind = Self.kind(of: response)
        if kind == .redirect, let next = response.fields["Location"].flatMap({ WebAddress($0) }),
            ["http", "https"].contains(next.scheme), next.origin != address?.origin, Self.isPlain(next.origin)
        {
            target = next.origin
        }
    }

    /// What the caller does next.
    public var code: AuthError.Code {
        switch kind {
        case .networkSignIn, .proxySignIn: .offline(.unreachable)
        case .busy: .rateLimited
        default: .serviceTrouble
        }
    }
}

extension ForeignAnswer {
    private static func kind(of response: TransportResponse) -> Kind {
        switch response.status {
        case 511: return .networkSignIn
        case 407: return .proxySignIn
        case 300..<400: return .redirect
        default: break
        }
        let text = beginning(of: response.body)
        if challenges.contains(where: { response.fields[$0] != nil }) { return .blocked }
        // A gateway that wants a key says that access is denied, too.
        if response.status != 401, signs(of: blocking, in: text) { return .blocked }
        switch response.status {
        case 200..<300: return isPage(response, text) ? .networkSignIn : .unreadable
        case 429: return .busy
        case 401: return .signIn
        case _ where signs(of: limiting, in: text): return .busy
        case 403, 451: return .blocked
        case 413, 414, 431: return .tooLarge
        case 404, 410: return .notFound
        case 400..<500: return .refused
        default: return .outage
        }
    }

    /// Fields by which firewalls say that they stopped a request.
    private static let challenges = ["cf-mitigated", "x-amzn-waf-action", "x-vercel-mitigated"]
    private static let blocking = [
        "captcha", "just a moment", "page blocked", "been limited", "bot-protection", "blocked by", "blocked as",
        "access denied", "rejected by policy", "appfw", "supportid", "blockscript", "anubis",
    ]
    private static let limiting = [
        "rate limit", "too many", "quota", "overload", "overflow", "throttl",
    ]

    private static func signs(of words: [String], in text: String) -> Bool { words.contains { text.contains($0) } }

    /// Returns the first 2,048 bytes in lower case, without style sheets. Only words of ASCII are looked for in it.
    private static func beginning(of body: [UInt8]) -> String {
        let small = body.prefix(2_048).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let text = String(decoding: small, as: UTF8.self)
        var parts = text.split(separator: "<style", omittingEmptySubsequences: false)
        for index in parts.indices.dropFirst() {
            parts[index] = parts[index].split(separator: "</style>", maxSplits: 1).dropFirst().first ?? ""
        }
        return parts.joined(separator: " ")
    }

    private static func isPage(_ response: TransportResponse, _ text: String) -> Bool {
        let isMarkup = text.first { !" \t\r\n\u{FEFF}".contains($0) } == "<"
        return isMarkup || response.fields["Content-Type"]?.lowercased().hasPrefix("text/html") == true
    }

    /// Returns the name that people know the server by. Other text of the answer is not shown.
    private static func product(_ server: String?) -> String? {
        guard let name = server?.prefix(64).split(whereSeparator: { "/ (".contains($0) }).first?.lowercased() else {
            return nil
        }
        return products[name]
    }

    /// Whether an origin has the characters of a host's name alone, and is no longer than one.
    private static func isPlain(_ origin: String) -> Bool {
        origin.utf8.count <= 128
            && origin.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || "-.:/[]".utf8.contains($0)
            }
    }

    private static let products: [String: String] = [
        "akamaighost": "Akamai", "apache": "Apache", "ats": "Traffic Server", "awselb": "AWS ELB", "bigip": "BIG-IP",
        "caddy": "Caddy", "cloudflare": "Cloudflare", "cloudfront": "CloudFront", "envoy": "Envoy", "fly": "Fly.io",
        "google": "Google", "heroku": "Heroku", "imunify360-webshield": "Imunify360", "istio-envoy": "Istio",
        "kong": "Kong", "litespeed": "LiteSpeed", "microsoft-azure-application-gateway": "Azure", "netlify": "Netlify",
        "netskope": "Netskope", "nginx": "nginx", "railway-edge": "Railway", "sonicwall": "SonicWall",
        "squid": "Squid", "sucuri": "Sucuri", "tinyproxy": "Tinyproxy", "varnish": "Varnish", "vercel": "Vercel",
        "webseal": "WebSEAL", "zscaler": "Zscaler",
    ]
}

extension AuthError {
    /// Creates the error for an answer that is not the service's: the session is kept, and the call can be repeated.
    public init(_ answer: ForeignAnswer, provider: ProviderID? = nil, retryAfter: Duration? = nil) {
        self.init(answer.code, answer.message, provider: provider, retryAfter: retryAfter)
        foreign = answer
    }
}
