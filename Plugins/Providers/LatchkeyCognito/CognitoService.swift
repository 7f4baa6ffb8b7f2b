import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyPluginKit

/// The calls of the service, under its own names.
struct CognitoService: Sendable {
    let provider: CognitoProvider
    let context: ProviderContext
    /// Makes the error to throw from a refusal of the service.
    var wording: @Sendable (CognitoFailure) -> any Error = { $0.error(isTyped: false) }
    /// Whether the calls spend the refresh token of a session that is signed in.
    var spendsToken = false

    /// Calls an operation: a POST to the service's one address, with the operation's name in a field.
    func call(_ operation: String, _ members: [String: JSON?]) async throws -> JSON {
        var service = JSONService(
            provider.endpoint, of: provider.name, in: context, fields: ["Content-Type": "application/x-amz-json-1.1"],
            requestIDField: "x-amzn-RequestId", explaining: { [wording] in wording(CognitoFailure($0)) })
        if spendsToken { service.rotatedTokenPath = ["AuthenticationResult", "RefreshToken"] }
        service.isOwn = { CognitoFailure.isOwn($0, $1, of: operation) }
        let target = "AWSCognitoIdentityProviderService.\(operation)"
        return try await service.post("/", members, fields: ["X-Amz-Target": target]).body
    }

    /// Calls an operation with the client's own credentials: about `user`, who is not signed in, or
    /// about a refresh token.
    func call(_ operation: String, of user: String?, _ members: [String: JSON?] = [:]) async throws -> JSON {
        let secret = user == nil ? JSON.revealing(provider.clientSecret) : nil
        let own = ["Username": user.map(JSON.string), "SecretHash": user.flatMap(hash), "ClientSecret": secret]
        let all = members.merging(own) { $1 }.merging(["ClientId": .string(provider.clientID)]) { $1 }
        return try await call(operation, all)
    }

    /// Starts a sign-in or a refresh.
    func initiate(_ flow: String, _ user: String, _ parameters: [String: JSON?]) async throws -> JSON {
        let own: [String: JSON] = ["AuthFlow": .string(flow), "ClientId": .string(provider.clientID)]
        let all = parameters.merging(["SECRET_HASH": hash(user)]) { $1 }
        return try await call("InitiateAuth", own.merging(["AuthParameters": .of(all)]) { $1 })
    }

    /// Returns the session in an answer, as an update of `old` if there is one. The tokens came
    /// from the service itself, over TLS, so only their issuer, client and person are checked.
    func session(_ answer: JSON, over old: AuthSession? = nil, device: JSON?) throws -> AuthSession {
        let result = JSONField(answer)["AuthenticationResult"]
        let token = Secret(try result["AccessToken"].string())
        let claims = try TokenClaims(of: token, provider: provider.name)
        try claims.require(issuer: provider.issuer)
        guard claims["client_id"]?.string == provider.clientID else {
            throw provider.error(.untrusted(.claims), "The tokens are another client's.")
        }
        let account = AccountID(subject: claims.subject, of: provider.rules.binding)
        let id = AuthSession.ID(claims["origin_jti"]?.string ?? context.world.randomName())
        var session = old ?? AuthSession(id: id, account: account)
        guard session.account == account else { throw provider.error(.untrusted(.subject), "It is another person.") }
        let scopes = claims["scope"]?.string?.split(separator: " ").map(String.init)
        let lifetime = lifetime(told: result["ExpiresIn"].value, claims)
        session.tokens = [.standard: AccessToken(token, lifetime: lifetime, scopes: scopes)]
        let identity = result["IdToken"].value ?? session.state["id_token"]
        let named = identity?.string.flatMap { try? TokenClaims(of: Secret($0)) }
        session.label = named?["email"]?.string ?? session.label ?? claims["username"]?.string
        // A refresh proves nothing, though the service may move the time.
        session.authenticatedAt = session.authenticatedAt ?? claims.instant("auth_time")
        session.state = .of(["id_token": identity, "user": claims["username"], "device": device])
        return session
    }

    /// How long an access token lasts: what the answer says, or what the token itself says if that is less. What says more
    /// than ``/Latchkey/Lifetime/longest``, or nothing, is no lifetime of a token.
    private func lifetime(told: JSON?, _ claims: TokenClaims) -> Lifetime? {
        let longest = Lifetime.longest.inSeconds
        let own = [claims["exp"], claims["iat"]].compactMap { $0?.number }
        let spans = [told?.number, own.count == 2 ? own[0] - own[1] : nil].compactMap { $0 }
        let span = spans.filter { (0..<longest).contains($0) }.min()
        return span.map { context.lifetime(.seconds($0)) }
    }

    /// Hands over the tokens of an answer that is refused: they would live on at the service, and no program would know
    /// of them.
    func giveBack(_ answer: JSON) {
        let result = answer["AuthenticationResult"]
        guard let refresh = result?["RefreshToken"]?.string, !refresh.isEmpty else { return }
        let session = AuthSession(
            id: AuthSession.ID(context.world.randomName()), account: AccountID(unnamedAt: provider.rules.binding))
        context.giveBack(
            Credential(
                id: Credential.ID(context.world.randomName()), binding: provider.rules.binding,
                refreshToken: Secret(refresh), sessions: [session]))
    }

    /// Returns the proof that a request about `user` comes from a client with the secret; `nil` if
    /// the client has none.
    func hash(_ user: String) -> JSON? {
        let message = Array((user + provider.clientID).utf8)
        return provider.clientSecret.map { .string(Base64.encode(KeyedHash.code(for: message, key: $0.reveal()))) }
    }
}

extension JSON {
    /// Returns an object of the members that have a value.
    static func of(_ members: [String: JSON?]) -> JSON { .object(members.compactMapValues { $0 }) }
}
