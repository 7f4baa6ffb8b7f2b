import Latchkey
import Tracing

/// What a span says.
struct ObservedWork {
    var name: String
    var isRequest = false
    var attributes: [String: SpanAttribute]
    /// What went wrong.
    var failure: String?
    var took: Duration

    /// Methods that OpenTelemetry knows. A method of any other name is not repeated, because an app may make it up.
    private static let methods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
    ]

    init?(_ observation: AuthObservation) {
        switch observation {
        case .request(let method, let origin, let status, let took):
            let isKnown = Self.methods.contains(method)
            name = isKnown ? method : "HTTP"
            isRequest = true
            attributes = ["http.request.method": .string(isKnown ? method : "_OTHER")]
            if let address = OriginParts(origin) {
                attributes["url.scheme"] = .string(address.scheme)
                attributes["server.address"] = .string(address.host)
                attributes["server.port"] = address.port.map { .int64(Int64($0)) }
            }
            if let status { attributes["http.response.status_code"] = .int64(Int64(status)) }
            if status.map({ $0 >= 400 }) ?? true { failure = status.map(String.init) ?? "_OTHER" }
            self.took = took
        case .refresh(let provider, let outcome, let took):
            name = "latchkey.refresh"
            attributes = ["latchkey.provider": .string(provider.name), "latchkey.outcome": .string(outcome.rawValue)]
            if ![.refreshed, .adopted, .signedOut].contains(outcome) { failure = outcome.rawValue }
            self.took = took
        case .signIn(let provider, let method, let failure, let took):
            name = "latchkey.sign_in"
            attributes = ["latchkey.provider": .string(provider.name)]
            attributes["latchkey.method"] = method.map { .string($0.rawValue) }
            self.failure = failure?.name
            self.took = took
        default: return nil
        }
    }
}

/// Scheme, host and port of an origin.
struct OriginParts: Equatable {
    var scheme: String
    var host: String
    /// That of the scheme, if the origin names none.
    var port: Int?

    init?(_ origin: String) {
        guard let colon = origin.firstRange(of: "://") else { return nil }
        scheme = String(origin[..<colon.lowerBound])
        var authority = origin[colon.upperBound...]
        port = scheme == "https" ? 443 : scheme == "http" ? 80 : nil
        // The colons of an address in brackets are its own.
        if let last = authority.lastIndex(of: ":"), !authority[last...].contains("]") {
            guard let named = Int(authority[authority.index(after: last)...]), named > 0 else { return nil }
            port = named
            authority = authority[..<last]
        }
        guard !scheme.isEmpty, !authority.isEmpty, !authority.contains(where: { "/?#@".contains($0) }) else {
            return nil
        }
        host = String(authority)
    }
}
