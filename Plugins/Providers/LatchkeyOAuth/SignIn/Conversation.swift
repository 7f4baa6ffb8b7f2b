import Latchkey
import LatchkeyOAuthCore

/// One step of signing in.
struct Conversation: Sendable {
    let provider: OAuthProvider
    let context: ProviderContext

    /// How long a visit to the service may take.
    static let visitLifetime = Duration.seconds(600)

    var directory: ServiceDirectory { ServiceDirectory(provider: provider, context: context, asksAnew: true) }

    /// Returns the scopes to ask for: those of the call, else the configured ones, else the
    /// defaults that the service lists. A service that has no ID tokens is not asked for one.
    func scopes(_ options: SignInOptions, _ metadata: ServerMetadata) throws(AuthError) -> [String] {
        try provider.checkScopes(options.scopes)
        if !options.scopes.isEmpty { return options.scopes }
        if let scopes = provider.scopes { return scopes }
        let usual = defaultScopes(metadata)
        return usual + provider.additionalScopes.filter { !usual.contains($0) }
    }

    private func defaultScopes(_ metadata: ServerMetadata) -> [String] {
        guard provider.flow == .person, provider.issuer != nil else { return [] }
        let standard = [OAuthWire.Scope.openid, "profile", "email", OAuthWire.Scope.offlineAccess]
        guard metadata.expectsIDToken else {
            return metadata.scopes?.contains(OAuthWire.Scope.offlineAccess) ?? false
                ? [OAuthWire.Scope.offlineAccess] : []
        }
        guard let known = metadata.scopes else { return standard }
        return standard.filter { $0 == OAuthWire.Scope.openid || known.contains($0) }
    }

    /// Whether the scopes of a sign-in are the provider's own choice.
    func choosesScopes(_ options: SignInOptions) -> Bool { options.scopes.isEmpty && provider.scopes == nil }

    /// Returns the resources that tokens can be requested for: the configured ones, and the one of the call.
    func resources(_ options: SignInOptions) throws(AuthError) -> [String] {
        guard options.audience != .standard else { return provider.resources }
        try provider.check(resource: options.audience.name)
        return provider.resources.filter { $0 != options.audience.name } + [options.audience.name]
    }

    /// Returns the audience of the first token: the one of the call, else the only resource that the sign-in asks for.
    ///
    /// The token request names it too (RFC 8707, section 2.2): otherwise some services give a token for no resource, and
    /// without a refresh token there would never be another one.
    func firstAudience(_ options: SignInOptions, _ resources: [String]) -> FirstAudience {
        guard options.audience == .standard, resources.count == 1 else { return FirstAudience(options.audience) }
        return FirstAudience(Audience(resources[0]), isOnlyResource: true)
    }

    /// Creates the proof key of a sign-in.
    func proofKey() throws(AuthError) -> ProofKey {
        guard let key = ProofKey(random: context.world.random(32)) else {
            throw AuthError(.configuration(.invalid), "The source of randomness gives too few bytes.")
        }
        return key
    }

    /// Sends a grant: once, but for a code that the service is too busy to look at.
    func send(
        _ grant: TokenGrant, to metadata: ServerMetadata, for audience: Audience
    ) async throws -> (TransportResponse, TransportRequest) {
        let request = grant.request(
            to: metadata.tokenEndpoint, clientID: provider.clientID, authentication: provider.authentication(metadata),
            resource: audience.resource, extra: provider.tokenParameters)
        return (try await grant.kind == .code ? context.redeem(request) : context.send(request), request)
    }

    /// Reads the answer to a grant.
    func tokens(
        in response: TransportResponse, to request: TransportRequest, _ grant: TokenGrant
    ) throws(AuthError) -> TokenResponse {
        let answer = TokenAnswer.judge(
            response, members: provider.errorMembers, from: request.url, now: context.serverNow)
        switch answer {
        case .tokens(let tokens): return tokens
        case .failure(let failure):
            let text = ServiceText(response, to: request, by: provider.authentication)
            throw provider.named(failure.authError(for: grant.kind)).saying(text)
        }
    }

    /// Signs the program in with its own credentials.
    func client(_ options: SignInOptions) async throws -> Turn {
        let metadata = try await directory.metadata()
        let scopes = try scopes(options, metadata)
        let resources = try resources(options)
        let grant = TokenGrant.client(scopes: scopes)
        let first = firstAudience(options, resources)
        let (response, request) = try await send(grant, to: metadata, for: first.audience)
        let tokens = try await judging(response) {
            let found = try self.tokens(in: response, to: request, grant)
            try provider.checkType(of: found)
            return found
        }
        let session = AuthSession(
            id: AuthSession.ID(context.world.randomName()),
            account: AccountID(subject: provider.clientID, of: provider.binding), label: provider.clientID,
            tokens: first.tokens(tokens.access(scopes, in: context), alsoStandard: true))
        // A refresh token should not come (RFC 6749, section 4.4.3) and is not kept: a new request needs none.
        return .signedIn(Grant(session, state: CredentialState(scopes: scopes, resources: resources).json))
    }
}

/// The audience of a sign-in's first token.
struct FirstAudience: Hashable, Sendable {
    var audience: Audience
    /// Whether it is the only resource that the sign-in asks for, and the call names none.
    var isOnlyResource: Bool

    init(_ audience: Audience, isOnlyResource: Bool = false) {
        (self.audience, self.isOnlyResource) = (audience, isOnlyResource)
    }

    /// Returns the tokens of the new session.
    ///
    /// - Parameter alsoStandard: Whether the token of the only resource is the default one, too: nothing at the service
    ///   needs another, or there is no refresh token to get it with.
    func tokens(_ access: AccessToken, alsoStandard: Bool) -> [Audience: AccessToken] {
        isOnlyResource && alsoStandard ? [audience: access, .standard: access] : [audience: access]
    }
}

extension Audience {
    /// The value of `resource`; `nil` for the service's default.
    var resource: String? { self == .standard ? nil : name }
}

extension AuthError {
    /// Returns the error, and the scopes that were asked for by default, if it is about scopes.
    func naming(ownScopes scopes: [String]) -> AuthError {
        guard code == .refused(.scope), !scopes.isEmpty else { return self }
        var error = self
        error.message +=
            " Nothing but this client's default was asked for, `\(scopes.joined(separator: " "))`: name other scopes, or none."
        return error
    }
}

extension TokenResponse {
    /// Returns the access token as received now; `scopes` were asked for.
    func access(_ scopes: [String]?, in context: ProviderContext) -> AccessToken {
        AccessToken(
            accessToken, scheme: scheme, lifetime: accessLasts.map(context.lifetime),
            scopes: hasUnknownScopes ? nil : self.scopes ?? scopes)
    }
}

extension OAuthProvider {
    /// How the client authenticates at the token endpoint and the device authorization endpoint (RFC 8628, section
    /// 3.1).
    func authentication(_ metadata: ServerMetadata) -> ClientAuthentication {
        authentication.fitting(metadata.tokenMethods)
    }

    private static let encodingAdvice =
        " The client's id or secret has characters that HTTP Basic encodes; a service that does not decode them needs "
        + "the encoding `raw`."

    /// Returns the error with this provider's name, and with what may be wrong about a client that is refused.
    func named(_ error: AuthError) -> AuthError {
        var error = error
        error.provider = name
        // Which of the two a service reads shows in no document.
        if error.code == .configuration(.clientRefused), case .basic(_, encoding: .form) = authentication,
            authentication.dependsOnEncoding(clientID: clientID), !error.message.hasSuffix(Self.encodingAdvice)
        {
            error.message += Self.encodingAdvice
        }
        return error
    }
}
