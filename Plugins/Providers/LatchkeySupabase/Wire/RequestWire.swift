package import Latchkey
package import LatchkeyJSON
import LatchkeyOAuthCore

/// A request to the service, before headers and address are added.
package struct ServiceRequest: Sendable {
    var method: String
    var path: String
    var query: [(name: String, value: String)] = []
    /// The body. Always sent with POST, PUT and PATCH, because most endpoints refuse an empty one;
    /// sent with GET and DELETE if it is not empty.
    var body: [String: JSON] = [:]
    /// The access token of the session that the request is about.
    var bearer: Secret?

    package init(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [], body: [String: JSON] = [:],
        bearer: Secret? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.bearer = bearer
    }

    /// Returns the whole request.
    func message(to provider: SupabaseProvider) -> TransportRequest {
        var fields = HeaderFields()
        fields.add("Accept", "application/json")
        fields.add(ErrorAnswer.Header.version, "2024-01-01")
        fields.add("X-Client-Info", provider.clientInfo)
        // The key names the project to the gateway. It is not a session, so it is never a bearer token.
        if let key = provider.publishableKey { fields.add("apikey", key) }
        if let bearer { fields.add("Authorization", "Bearer \(bearer.revealText())") }
        var request = TransportRequest(method, provider.address(of: path, query), fields: fields)
        request.mayBeRepeated = method == "GET" || method == "DELETE"
        if !request.mayBeRepeated || !body.isEmpty {
            request.fields.add("Content-Type", "application/json")
            request.body = JSON.object(body).serialized()
        }
        return request
    }
}

extension SupabaseProvider {
    /// Returns the address of an endpoint.
    func address(of path: String, _ query: [(name: String, value: String)]) -> String {
        guard !query.isEmpty else { return authURL + path }
        return "\(authURL)\(path)?\(FormEncoding.encode(FormParameters(query)))"
    }
}

/// A mail address or a telephone number, told apart as the service does it.
enum Identifier: Sendable {
    case mail(String)
    case phone(String)

    init(_ text: String) { self = text.utf8.contains(UInt8(ascii: "@")) ? .mail(text) : .phone(text) }

    var text: String {
        switch self {
        case .mail(let text), .phone(let text): text
        }
    }

    var isMail: Bool {
        if case .mail = self { true } else { false }
    }

    var member: [String: JSON] {
        switch self {
        case .mail(let text): ["email": .string(text)]
        case .phone(let text): ["phone": .string(text)]
        }
    }
}

/// What requests have in common.
extension [String: JSON] {
    /// Adds the answer to a captcha, if there is one.
    func with(captcha: Secret?) -> Self {
        guard let captcha else { return self }
        return merging(["gotrue_meta_security": ["captcha_token": .string(captcha.revealText())]]) { $1 }
    }

    /// Adds the proof key that the answer will be bound to.
    func with(_ pkce: ProofKey?) -> Self {
        guard let pkce else { return self }
        return merging(["code_challenge": .string(pkce.challenge), "code_challenge_method": "s256"]) { $1 }
    }
}
