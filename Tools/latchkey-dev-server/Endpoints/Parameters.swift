import LatchkeyHTTPServer

/// The parameters of a request: each at most once; one without a value counts as absent (RFC 6749 section 3.1).
struct Parameters {
    private var values: [String: String] = [:]
    /// The names that occur twice. `resource` may (RFC 8707 section 2).
    private(set) var duplicates: Set<String> = []
    private(set) var resources: [String] = []

    init(_ pairs: [(name: String, value: String)]) {
        var seen: Set<String> = []
        for pair in pairs {
            if pair.name == DevServerWire.resource {
                resources.append(pair.value)
                continue
            }
            if !seen.insert(pair.name).inserted { duplicates.insert(pair.name) }
            if !pair.value.isEmpty { values[pair.name] = pair.value }
        }
    }

    /// Reads the form of a request. Refuses a request without a form or with a query.
    init(form request: ServerRequest) throws(OAuthFailure) {
        guard request.queryPairs.isEmpty else {
            throw OAuthFailure(.invalidRequest, "The parameters belong into the body, not into the query.")
        }
        guard Self.isForm(request) else {
            throw OAuthFailure(.invalidRequest, "The content type is not application/x-www-form-urlencoded.")
        }
        guard let pairs = FormPairs.decode(request.body) else {
            throw OAuthFailure(.invalidRequest, "The body is no form.")
        }
        self.init(pairs)
        guard duplicates.isEmpty else {
            throw OAuthFailure(.invalidRequest, "A parameter stands twice.")
        }
    }

    subscript(name: String) -> String? { values[name] }

    /// Returns the value, or throws a refusal that names what is missing.
    func required(_ name: String) throws(OAuthFailure) -> String {
        guard let value = values[name] else { throw OAuthFailure(.invalidRequest, "The \(name) is missing.") }
        return value
    }

    /// Whether the body is declared as a form in UTF-8.
    private static func isForm(_ request: ServerRequest) -> Bool {
        guard request.count(ofField: "Content-Type") == 1, let type = request.field("Content-Type") else {
            return false
        }
        let parts = type.lowercased().split(separator: ";").map { part in
            String(part.filter { $0 != " " && $0 != "\"" })
        }
        return parts.first == "application/x-www-form-urlencoded"
            && parts.dropFirst().allSatisfy { $0 == "charset=utf-8" }
    }
}

extension Parameters {
    /// Returns the requested scopes in their order, without repetitions; `nil` if the request has none.
    ///
    /// - Throws: `invalid_scope` for one that `allowed` does not have.
    func scopes(allowed: [String]) throws(OAuthFailure) -> [String]? {
        guard let text = self[DevServerWire.scope] else { return nil }
        var scopes: [String] = []
        for scope in text.split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
            guard allowed.contains(scope) else {
                throw OAuthFailure(.invalidScope, "A scope is unknown, malformed or not this client's to ask for.")
            }
            if !scopes.contains(scope) { scopes.append(scope) }
        }
        return scopes
    }

    /// Refuses every resource but the server's own (RFC 8707 section 2).
    func checkResources(issuer: String) throws(OAuthFailure) {
        guard resources.allSatisfy({ $0 == issuer + DevServer.Endpoint.resource.path }) else {
            throw OAuthFailure(.invalidTarget, "The resource is not one of this server's.")
        }
    }
}
