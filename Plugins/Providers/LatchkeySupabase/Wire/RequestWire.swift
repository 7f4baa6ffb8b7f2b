package import Latchkey
package import LatchkeyJSON
import LatchkeyOAuthCore

/// A request to the service, before it has headers and an address.
package struct ServiceRequest: Sendable {
    var method: String
    var path: String
    var query: [(name: String, value: String)] = []
    /// Always sent with POST, PUT and PATCH: most endpoints refuse an empty one. With GET and DELETE where there is one.
    var body: [String: JSON] = [:]
    /// Whose session it is about.
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

    /// The whole request.
    func message(to provider: SupabaseProvider) -> TransportRequest {
        var fields = HeaderFields()
        fields.add("Accept", "application/json")
        fields.add(ErrorAnswer.Header.version, "2024-01-01")
        fields.add("X-Client-Info", provider.clientInfo)
        // The key names the project to the gateway. It is no session, so it is never a bearer.
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
    /// The address of an endpoint.
    func address(of path: String, _ query: [(name: String, value: String)]) -> String {
        guard !query.isEmpty else { return authURL + path }
        return "\(authURL)\(path)?\(FormEncoding.encode(FormParameters(query)))"
    }
}

/// Who is meant: an address or a number, as the service tells them apart.
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
    /// With the answer to a captcha, where there is one.
    func with(captcha: Secret?) -> Self {
        guard let captcha else { return self }
        return merging(["gotrue_meta_security": ["captcha_token": .string(captcha.revealText())]]) { $1 }
    }

    /// With the proof key that the answer will be bound to.
    func with(_ pkce: ProofKey?) -> Self {
        guard let pkce else { return self }
        return merging(["code_challenge": .string(pkce.challenge), "code_challenge_method": "s256"]) { $1 }
    }
}
