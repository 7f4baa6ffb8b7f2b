import LatchkeyCrypto
import LatchkeyHTTPServer

extension DevState {
    /// Token endpoint, RFC 6749 section 3.2.
    mutating func token(_ request: ServerRequest, now: Double, note: inout Note) throws(OAuthFailure) -> ServerResponse
    {
        let parameters = try Parameters(form: request)
        let name = try parameters.required(DevServerWire.grantType)
        let grant = DevServer.Grant(rawValue: name)
        note.grant = grant?.rawValue ?? "other"
        let client = try authenticate(request, parameters, note: &note)
        guard let grant else { throw OAuthFailure(.unsupportedGrantType, "The grant_type is not supported.") }
        guard client.grants.contains(grant) else {
            throw OAuthFailure(.unauthorizedClient, "The client may not use this grant.")
        }
        switch grant {
        case .authorizationCode: return try exchange(parameters, client, now: now, note: &note)
        case .refreshToken: return try refresh(parameters, client, now: now, note: &note)
        case .clientCredentials: return try credentials(parameters, client, now: now)
        case .deviceCode: return try poll(parameters, client, now: now)
        }
    }

    /// Gives tokens for a code. A second use revokes the first one's tokens (RFC 6749 section 4.1.2); a wrong proof
    /// uses it up.
    private mutating func exchange(
        _ parameters: Parameters, _ client: DevServer.Client, now: Double, note: inout Note
    ) throws(OAuthFailure) -> ServerResponse {
        let code = try parameters.required(DevServerWire.code)
        let redirect = try parameters.required(DevServerWire.redirectURI)
        let verifier = try parameters.required(DevServerWire.codeVerifier)
        guard (43...128).contains(verifier.utf8.count), verifier.allSatisfy(\.isUnreserved) else {
            throw OAuthFailure(.invalidRequest, "The code_verifier is not 43 to 128 unreserved characters.")
        }
        try parameters.checkResources(issuer: issuer)
        guard var record = codes[code], record.authorization.clientID == client.id else { throw .grant }
        switch record.stage {
        case .used(let family):
            kill(family: family)
            throw .grant
        case .burnt: throw .grant
        case .fresh: break
        }
        guard record.expires > now else { throw .grant }
        let authorization = record.authorization
        let challenge = Base64URL.encode(Hash.digest(Array(verifier.utf8)))
        let isProven =
            redirect == authorization.redirectURI
            && constantTimeEqual(Array(challenge.utf8), Array(authorization.challenge.utf8))
        guard isProven || attack == .uncheckedCode else {
            record.stage = .burnt
            codes[code] = record
            throw .grant
        }
        let family = newFamily(
            TokenFamily(
                clientID: client.id, subject: record.subject, scopes: authorization.scopes, authTime: record.authTime))
        record.stage = .used(family: family)
        codes[code] = record
        note.family = family
        return try issue(
            family, scopes: authorization.scopes, nonce: authorization.nonce,
            refreshToken: firstRefreshToken(family, client, now: now), now: now)
    }

    /// Gives tokens to the client itself, without a refresh token (RFC 6749 section 4.4.3).
    private mutating func credentials(
        _ parameters: Parameters, _ client: DevServer.Client, now: Double
    ) throws(OAuthFailure) -> ServerResponse {
        guard client.secret != nil else { throw OAuthFailure(.unauthorizedClient, "The client has no secret.") }
        try parameters.checkResources(issuer: issuer)
        let scopes = try parameters.scopes(allowed: client.scopes) ?? client.scopes
        let family = newFamily(TokenFamily(clientID: client.id, subject: client.id, scopes: scopes, authTime: nil))
        return try issue(family, scopes: scopes, nonce: nil, refreshToken: nil, now: now)
    }

    /// Revocation endpoint, RFC 7009 section 2. A refresh token's family is revoked with it; an access token only
    /// itself.
    mutating func revoke(_ request: ServerRequest, note: inout Note) throws(OAuthFailure) -> ServerResponse {
        let parameters = try Parameters(form: request)
        let client = try authenticate(request, parameters, note: &note)
        let token = try parameters.required(DevServerWire.token)
        let done = ServerResponse(fields: [("Cache-Control", "no-store")])
        guard let id = refreshTokens[token]?.family ?? accessTokens[token]?.family else {
            note.outcome = "unknown"
            return done
        }
        (note.family, note.generation) = (id, refreshTokens[token]?.generation)
        guard families[id]?.clientID == client.id else {
            throw OAuthFailure(.invalidGrant, "The token is another client's.")
        }
        if refreshTokens[token] != nil { kill(family: id) } else { accessTokens[token]?.isRevoked = true }
        return done
    }
}
