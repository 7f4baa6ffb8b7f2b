import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// A request to the service, before it has headers and an address.
struct ServiceRequest: Sendable {
    var method: String
    var path: String
    var query: [(name: String, value: String)] = []
    /// Always sent with POST, PUT and PATCH: most endpoints refuse an empty one.
    var body: [String: JSON] = [:]
    /// Whose session it is about.
    var bearer: Secret?

    init(
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
    func message(to provider: SupabaseProvider) -> HTTPRequest {
        var fields = HTTPFields()
        fields.add("Accept", "application/json")
        fields.add(ErrorAnswer.Header.version, "2024-01-01")
        fields.add("X-Client-Info", provider.clientInfo)
        // The key names the project to the gateway. It is no session, so it is never a bearer.
        if let key = provider.publishableKey { fields.add("apikey", key) }
        if let bearer { fields.add("Authorization", "Bearer \(bearer.revealText())") }
        var request = HTTPRequest(method, provider.address(of: path, query), fields: fields)
        if method != "GET", method != "DELETE" {
            request.fields.add("Content-Type", "application/json")
            request.body = JSON.object(body).serialized()
            request.mayBeRepeated = false
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
    func with(_ pkce: PKCE?) -> Self {
        guard let pkce else { return self }
        return merging(["code_challenge": .string(pkce.challenge), "code_challenge_method": "s256"]) { $1 }
    }
}

extension ServiceRequest {
    static func tokens(_ grant: String, _ body: [String: JSON], bearer: Secret? = nil) -> Self {
        Self("POST", "/token", query: [("grant_type", grant)], body: body, bearer: bearer)
    }

    static func refresh(_ token: Secret) -> Self {
        tokens("refresh_token", ["refresh_token": .string(token.revealText())])
    }

    static func password(_ who: Identifier, _ password: Secret, captcha: Secret?) -> Self {
        let body = who.member.merging(["password": .string(password.revealText())]) { $1 }
        return tokens("password", body.with(captcha: captcha))
    }

    static func exchange(code: Secret, verifier: Secret) -> Self {
        tokens("pkce", ["auth_code": .string(code.revealText()), "code_verifier": .string(verifier.revealText())])
    }

    static func idToken(
        _ idToken: Secret, from issuer: [String: JSON], nonce: Secret?, linkingTo bearer: Secret?
    ) -> Self {
        var body = issuer
        body["id_token"] = .string(idToken.revealText())
        body["nonce"] = nonce.map { .string($0.revealText()) }
        body["link_identity"] = bearer.map { _ in .bool(true) }
        return tokens("id_token", body, bearer: bearer)
    }

    static func wallet(chain: String, message: JSON, signature: JSON, captcha: Secret?) -> Self {
        let body: [String: JSON] = ["chain": .string(chain), "message": message, "signature": signature]
        return tokens("web3", body.with(captcha: captcha))
    }

    static func signUp(
        _ who: Identifier?, _ password: Secret?, data: [String: JSON], channel: String?, pkce: PKCE?,
        captcha: Secret?, redirect: String?
    ) -> Self {
        var body = who?.member ?? [:]
        body["password"] = password.map { .string($0.revealText()) }
        body["data"] = data.isEmpty ? nil : .object(data)
        body["channel"] = channel.map(JSON.string)
        return Self("POST", "/signup", query: returning(to: redirect), body: body.with(pkce).with(captcha: captcha))
    }

    static func otp(
        _ who: Identifier, createsUser: Bool, data: [String: JSON], channel: String?, pkce: PKCE?, captcha: Secret?,
        redirect: String?
    ) -> Self {
        var body = who.member
        body["create_user"] = .bool(createsUser)
        body["data"] = data.isEmpty ? nil : .object(data)
        body["channel"] = channel.map(JSON.string)
        return Self("POST", "/otp", query: returning(to: redirect), body: body.with(pkce).with(captcha: captcha))
    }

    static func recover(_ who: Identifier, pkce: PKCE?, captcha: Secret?, redirect: String?) -> Self {
        Self(
            "POST", "/recover", query: returning(to: redirect), body: who.member.with(pkce).with(captcha: captcha))
    }

    static func resend(
        _ type: String, _ who: Identifier, pkce: PKCE?, captcha: Secret?, redirect: String?
    ) -> Self {
        let body = who.member.merging(["type": .string(type)]) { $1 }
        return Self("POST", "/resend", query: returning(to: redirect), body: body.with(pkce).with(captcha: captcha))
    }

    static func verify(_ type: String, _ who: Identifier, code: Secret) -> Self {
        let body: [String: JSON] = ["type": .string(type), "token": .string(code.revealText())]
        return Self("POST", "/verify", body: who.member.merging(body) { $1 })
    }

    static func sso(domain: String, pkce: PKCE, captcha: Secret?, redirect: String) -> Self {
        let body: [String: JSON] = [
            "domain": .string(domain), "redirect_to": .string(redirect), "skip_http_redirect": true,
        ]
        return Self("POST", "/sso", body: body.with(pkce).with(captcha: captcha))
    }

    static func user(_ bearer: Secret) -> Self { Self("GET", "/user", bearer: bearer) }

    static func newPassword(_ password: Secret, bearer: Secret) -> Self {
        Self("PUT", "/user", body: ["password": .string(password.revealText())], bearer: bearer)
    }

    static func logOut(_ scope: SignOutScope, bearer: Secret) -> Self {
        let word =
            switch scope {
            case .thisSession: "local"
            case .others: "others"
            case .everywhere: "global"
            }
        return Self("POST", "/logout", query: [("scope", word)], bearer: bearer)
    }

    static func returning(to redirect: String?) -> [(name: String, value: String)] {
        redirect.map { [("redirect_to", $0)] } ?? []
    }
}
