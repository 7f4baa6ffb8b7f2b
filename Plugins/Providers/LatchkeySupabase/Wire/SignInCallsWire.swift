package import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// The requests of signing in.
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
        _ who: Identifier?, _ password: Secret?, data: [String: JSON], channel: String?, pkce: ProofKey?,
        captcha: Secret?, redirect: String?
    ) -> Self {
        var body = who?.member ?? [:]
        body["password"] = password.map { .string($0.revealText()) }
        body["data"] = data.isEmpty ? nil : .object(data)
        body["channel"] = channel.map(JSON.string)
        return Self("POST", "/signup", query: returning(to: redirect), body: body.with(pkce).with(captcha: captcha))
    }

    static func otp(
        _ who: Identifier, createsUser: Bool, data: [String: JSON], channel: String?, pkce: ProofKey?, captcha: Secret?,
        redirect: String?
    ) -> Self {
        var body = who.member
        body["create_user"] = .bool(createsUser)
        body["data"] = data.isEmpty ? nil : .object(data)
        body["channel"] = channel.map(JSON.string)
        return Self("POST", "/otp", query: returning(to: redirect), body: body.with(pkce).with(captcha: captcha))
    }

    static func recover(_ who: Identifier, pkce: ProofKey?, captcha: Secret?, redirect: String?) -> Self {
        Self(
            "POST", "/recover", query: returning(to: redirect), body: who.member.with(pkce).with(captcha: captcha))
    }

    static func resend(
        _ type: String, _ who: Identifier, pkce: ProofKey?, captcha: Secret?, redirect: String?
    ) -> Self {
        let body = who.member.merging(["type": .string(type)]) { $1 }
        return Self("POST", "/resend", query: returning(to: redirect), body: body.with(pkce).with(captcha: captcha))
    }

    static func verify(_ type: String, _ who: Identifier, code: Secret) -> Self {
        let body: [String: JSON] = ["type": .string(type), "token": .string(code.revealText())]
        return Self("POST", "/verify", body: who.member.merging(body) { $1 })
    }

    static func sso(domain: String, pkce: ProofKey, captcha: Secret?, redirect: String) -> Self {
        let body: [String: JSON] = [
            "domain": .string(domain), "redirect_to": .string(redirect), "skip_http_redirect": true,
        ]
        return Self("POST", "/sso", body: body.with(pkce).with(captcha: captcha))
    }

    static func user(_ bearer: Secret) -> Self { Self("GET", "/user", bearer: bearer) }

    static func newPassword(_ password: Secret, bearer: Secret) -> Self {
        Self("PUT", "/user", body: ["password": .string(password.revealText())], bearer: bearer)
    }

    package static func logOut(_ scope: SignOutScope, bearer: Secret) -> Self {
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

    static func passkeyOptions(captcha: Secret?) -> Self {
        Self("POST", "/passkeys/authentication/options", body: [String: JSON]().with(captcha: captcha))
    }

    static func passkey(_ challengeID: String, _ credential: JSON) -> Self {
        let body: [String: JSON] = ["challenge_id": .string(challengeID), "credential": credential]
        return Self("POST", "/passkeys/authentication/verify", body: body)
    }

    static func challenge(
        _ factor: SupabaseFactor, _ party: SupabaseProvider.RelyingParty?, bearer: Secret
    ) -> Self {
        var body: [String: JSON] = [:]
        if factor.type == SupabaseFactor.phone { body["channel"] = "sms" }
        if factor.type == SupabaseFactor.passkey, let party { body["webauthn"] = party.json }
        return Self("POST", "/factors/\(factor.id)/challenge", body: body, bearer: bearer)
    }

    /// The proof of a factor.
    enum Proof: Sendable {
        case code(Secret)
        case passkey(JSON)

        fileprivate var member: [String: JSON] {
            switch self {
            case .code(let code): ["code": .string(code.revealText())]
            case .passkey(let credential):
                ["webauthn": ["type": "request", "credential_response": credential]]
            }
        }
    }

    static func prove(_ factorID: String, _ challengeID: String, _ proof: Proof, bearer: Secret) -> Self {
        let body = proof.member.merging(["challenge_id": .string(challengeID)]) { $1 }
        return Self("POST", "/factors/\(factorID)/verify", body: body, bearer: bearer)
    }

    /// Returns the query that starts a visit to an identity provider.
    static func visit(
        _ connection: String, _ redirect: String, _ pkce: ProofKey, _ options: SignInOptions
    ) -> [(name: String, value: String)] {
        var query = [("provider", connection), ("redirect_to", redirect)]
        if !options.scopes.isEmpty { query.append(("scopes", options.scopes.joined(separator: " "))) }
        query += [("code_challenge", pkce.challenge), ("code_challenge_method", "s256")]
        if let prompt = options.prompt { query.append(("prompt", prompt)) }
        if let hint = options.loginHint { query.append(("login_hint", hint)) }
        return query.map { (name: $0.0, value: $0.1) }
    }

    static func linkingVisit(_ query: [(name: String, value: String)], bearer: Secret) -> Self {
        let direct = [(name: "skip_http_redirect", value: "true")]
        return Self("GET", "/user/identities/authorize", query: query + direct, bearer: bearer)
    }

    /// Returns the members that tell the service who issued an ID token: its own name for the
    /// issuer, or issuer and client.
    static func issuer(_ issuer: String, of token: Secret) throws(AuthError) -> [String: JSON] {
        let names = ["https://accounts.google.com": "google", "https://appleid.apple.com": "apple"]
        if let name = names[issuer] ?? (issuer.contains("://") ? nil : issuer) { return ["provider": .string(name)] }
        let claims = AccessClaims(of: token).json
        guard let client = claims["aud"]?.string ?? claims["aud"]?.array?.first?.string else {
            throw AuthError(.refused(.wrongInput), "The ID token names no audience.")
        }
        return ["issuer": .string(issuer), "client_id": .string(client)]
    }

    /// Returns the request with a wallet's message and signature, which the app gives as a JSON object of both.
    static func wallet(chain: String, proof: Secret, captcha: Secret?) -> Self? {
        let proof = try? JSON.parse(proof.reveal())
        guard let message = proof?["message"], let signature = proof?["signature"], message.string != nil,
            signature.string != nil
        else { return nil }
        return wallet(chain: chain, message: message, signature: signature, captcha: captcha)
    }
}
