import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

/// The calls of the service, in its own words.
struct CognitoService: Sendable {
    let provider: CognitoProvider
    let context: ProviderContext
    /// What is thrown where the service does not do what it was asked for.
    var wording: @Sendable (CognitoFailure) -> any Error = { $0.error(isTyped: false) }

    /// Calls an operation: a POST to the one address there is, named in a field. Members without a value are left out.
    func call(_ operation: String, _ members: [String: JSON?]) async throws -> JSON {
        let target = "AWSCognitoIdentityProviderService.\(operation)"
        let fields: HeaderFields = ["Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": target]
        let (url, body) = ("\(provider.endpoint)/", JSON.of(members).serialized())
        let response = try await context.send(TransportRequest("POST", url, fields: fields, body: body))
        guard response.status == 200 else { throw wording(CognitoFailure(response, self)) }
        // Some calls are answered with nothing at all.
        let answer = response.body.isEmpty ? .object([:]) : try? JSON.parse(response.body)
        guard let answer, answer.object != nil else { throw provider.error(.untrusted(.malformed), "It is no JSON.") }
        return answer
    }

    /// Calls an operation in the client's name: about `user`, who is not signed in, or about a refresh token.
    func call(_ operation: String, of user: String?, _ members: [String: JSON?] = [:]) async throws -> JSON {
        let secret = user == nil ? provider.clientSecret?.json : nil
        let own = ["Username": user.map(JSON.string), "SecretHash": user.flatMap(hash), "ClientSecret": secret]
        let all = members.merging(own) { $1 }.merging(["ClientId": .string(provider.clientID)]) { $1 }
        return try await call(operation, all)
    }

    /// Begins a sign-in, or a refresh.
    func initiate(_ flow: String, _ user: String, _ parameters: [String: JSON?]) async throws -> JSON {
        let own: [String: JSON] = ["AuthFlow": .string(flow), "ClientId": .string(provider.clientID)]
        let all = parameters.merging(["SECRET_HASH": hash(user)]) { $1 }
        return try await call("InitiateAuth", own.merging(["AuthParameters": .of(all)]) { $1 })
    }

    /// The session that an answer brings, or what becomes of `old`. The tokens came from the service itself, over TLS, so
    /// only their addressee is looked at.
    func session(_ answer: JSON, over old: AuthSession? = nil, device: JSON?) throws -> AuthSession {
        let result = answer["AuthenticationResult"]
        let (claims, identity) = (claims(result?["AccessToken"]), claims(result?["IdToken"]))
        guard let token = result?["AccessToken"]?.string, let seconds = result?["ExpiresIn"]?.integer,
            let subject = claims["sub"]?.string, !subject.isEmpty, claims["iss"]?.string == provider.issuer,
            claims["client_id"]?.string == provider.clientID
        else { throw provider.error(.untrusted(.claims), "The tokens are not this pool's for this client.") }
        let account = AccountID(subject: subject, of: provider.rules.binding)
        let id = AuthSession.ID(claims["origin_jti"]?.string ?? context.world.randomName())
        var session = old ?? AuthSession(id: id, account: account)
        guard session.account == account else { throw provider.error(.untrusted(.subject), "It is another person.") }
        let scopes = claims["scope"]?.string?.split(separator: " ").map(String.init)
        let (secret, lifetime) = (Secret(token), context.lifetime(.seconds(seconds)))
        session.tokens = [.standard: AccessToken(secret, lifetime: lifetime, scopes: scopes)]
        session.label = identity["email"]?.string ?? session.label ?? claims["username"]?.string
        if let time = claims["auth_time"]?.number { session.authenticatedAt = Date(timeIntervalSince1970: time) }
        session.state = .of(["id_token": result?["IdToken"], "user": claims["username"], "device": device])
        return session
    }

    /// What a token says.
    private func claims(_ token: JSON?) -> JSON {
        let payload = (token?.string ?? "").split(separator: ".").dropFirst().first ?? ""
        return (try? JSON.parse(Base64URL.decode(payload))) ?? .null
    }

    /// What shows that a client which has a secret speaks of `user`.
    func hash(_ user: String) -> JSON? {
        let message = Array((user + provider.clientID).utf8)
        return provider.clientSecret.map { .string(Base64.encode(KeyedHash.code(for: message, key: $0.reveal()))) }
    }
}

extension JSON {
    /// An object of the members that have a value, and another than null.
    static func of(_ members: [String: JSON?]) -> JSON { .object(members.compactMapValues { $0 == .null ? nil : $0 }) }
}

extension Secret {
    /// The text, for a body.
    var json: JSON { .string(revealText()) }
}
