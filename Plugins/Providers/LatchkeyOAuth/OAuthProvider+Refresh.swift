public import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore

extension OAuthProvider {
    /// Refreshes the tokens; a program requests a new token with its own credentials.
    ///
    /// `scope` is never sent.
    ///
    /// - Throws: ``/Latchkey/Refusal``: definite for a code in ``definiteRefusals``; `unexplained`
    ///   for a code that is not registered, or any other code if the same request has worked before,
    ///   because services answer a dead refresh token with `invalid_request` (Dex) or `unauthorized_client`
    ///   (Gitea). `invalid_client`, and `unauthorized_client` with the status 401, are about the client. An answer without
    ///   a code is not the service's: ``/Latchkey/ForeignAnswer``. ``/Latchkey/NotSent`` if the call fails before the refresh token is
    ///   sent. ``/Latchkey/TransportError``; ``/Latchkey/AuthError``.
    public func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        if let missing = CryptoLibrary.missing { throw NotSent(AuthError(missing, provider: name)) }
        try demandSecret()
        let refreshing = Refreshing(provider: self, context: context, credential: credential, want: want)
        switch flow {
        case .person: return try await refreshing.refresh()
        case .service: return try await refreshing.requestAgain()
        }
    }
}

extension OAuthProvider: RefreshPreparing {
    /// Fetches the service's document, and checks what a refresh needs. The keys are fetched after the answer, if it is
    /// signed with one that is not known.
    ///
    /// - Throws: What ``refresh(_:for:in:)`` throws before the refresh token is sent.
    public func prepareRefresh(
        of credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> (any Sendable)? {
        if let missing = CryptoLibrary.missing { throw NotSent(AuthError(missing, provider: name)) }
        try demandSecret()
        return try await Refreshing(provider: self, context: context, credential: credential, want: want).prepare()
    }
}

/// One call to refresh.
struct Refreshing: Sendable {
    let provider: OAuthProvider
    let context: ProviderContext
    let credential: Credential
    let want: TokenWant

    var directory: ServiceDirectory { ServiceDirectory(provider: provider, context: context) }

    /// The service's document, if everything else is there, too.
    func prepare() async throws -> ServerMetadata {
        try await beforeSending {
            _ = try wantedSession()
            _ = try refreshToken()
            return try await directory.metadata()
        }
    }

    /// What was prepared; what was not is fetched now.
    private func knownMetadata() async throws -> ServerMetadata {
        if let prepared = context.prepared as? ServerMetadata { return prepared }
        return try await directory.metadata()
    }

    private func refreshToken() throws(AuthError) -> Secret {
        guard let token = credential.refreshToken else {
            throw AuthError(.signInRequired(.expired), "The session has no refresh token.", provider: provider.name)
        }
        return token
    }

    func refresh() async throws -> CredentialChange {
        let (session, token, metadata) = try await beforeSending {
            let (session, token) = (try wantedSession(), try refreshToken())
            return (session, token, try await knownMetadata())
        }
        let (tokens, response) = try await sendRefresh(token, metadata)
        try provider.checkType(of: tokens)
        let state = try await judge(tokens, of: session, response, metadata)
        let granted = session.tokens[want.audience]?.scopes ?? CredentialState(credential.state).scopes
        var change = CredentialChange(
            refreshToken: tokens.refreshToken,
            minted: [session.id: [want.audience: tokens.access(granted, in: context)]])
        var renewed = session
        if let state {
            renewed.state = state.json(over: session.state)
            renewed.label = state.person?.label ?? session.label
        }
        if let lasts = tokens.refreshExpiresIn {
            renewed.limits = (session.limits ?? SessionLimits()).refreshed(context.lifetime(lasts))
        }
        if renewed.state != session.state || renewed.limits != session.limits || renewed.label != session.label {
            change.sessions = credential.sessions.map { $0.id == session.id ? renewed : $0 }
        }
        return change
    }

    func requestAgain() async throws -> CredentialChange {
        let scopes = CredentialState(credential.state).scopes
        let (session, metadata) = try await beforeSending {
            (try wantedSession(), try await directory.metadata())
        }
        let (tokens, _) = try await send(.client(scopes: scopes), metadata)
        try provider.checkType(of: tokens)
        return CredentialChange(minted: [session.id: [want.audience: tokens.access(scopes, in: context)]])
    }

    private func wantedSession() throws(AuthError) -> AuthSession {
        guard let session = credential.session(want.session) else {
            throw AuthError(
                .signInRequired(.signedOut), "The session is not part of the credential.", provider: provider.name)
        }
        // Checked before sending: a resource that the service does not know would spend the refresh
        // token for nothing.
        let allowed = CredentialState(credential.state).resources + provider.resources
        guard want.audience == .standard || allowed.contains(want.audience.name) else {
            throw AuthError(
                .refused(.scope), "The sign-in did not ask for tokens for this audience.", provider: provider.name)
        }
        return session
    }

    /// Marks every error as one from before the refresh token was sent.
    private func beforeSending<Value: Sendable>(
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch var error as TransportError {
            error.wasSent = false
            throw error
        } catch let error as AuthError {
            throw NotSent(provider.named(error))
        }
    }

    /// Sends the refresh token. If it is refused for one audience, that is not yet the session's end: Entra answers so
    /// where the consent for that audience is missing (`suberror` `consent_required`). So the same token is sent without
    /// the audience, and only if that is refused as well, the session is over.
    private func sendRefresh(
        _ token: Secret, _ metadata: ServerMetadata
    ) async throws -> (TokenResponse, TransportResponse) {
        do {
            return try await send(.refresh(token), metadata)
        } catch let refusal as Refusal where refusal.kind == .definite && want.audience != .standard {
            let plain = Refreshing(
                provider: provider, context: context, credential: credential, want: TokenWant(session: want.session))
            let (tokens, _) = try await plain.send(.refresh(token), metadata)
            context.carry(tokens.refreshToken ?? token)
            throw AuthError(
                .refused(.scope),
                "The service gives no token for this audience (`\(refusal.code)`). The session goes on without it.",
                provider: provider.name
            ).saying(refusal.serviceText)
        }
    }

    private func send(
        _ grant: TokenGrant, _ metadata: ServerMetadata
    ) async throws -> (TokenResponse, TransportResponse) {
        let (request, response) = try await deliver(grant, metadata)
        // Kept before anything of the answer is judged: the refresh token that was sent is spent.
        if grant.kind == .refresh, let rotated = TokenAnswer.rotatedToken(response) { context.carry(rotated) }
        let definite = grant.kind == .refresh ? provider.definiteRefusals : []
        let answer = TokenAnswer.judge(
            response, definite: definite, members: provider.errorMembers, from: request.url, now: context.serverNow)
        let failure: TokenFailure
        switch answer {
        case .tokens(let tokens): return (tokens, response)
        case .failure(let found): failure = found
        }
        let text = ServiceText(response, to: request, by: provider.authentication)
        let error = provider.named(failure.authError(for: grant.kind)).saying(text)
        func refusal(_ kind: Refusal.Kind, _ code: String, issuedNothing: Bool = false) -> Refusal {
            var refusal = Refusal(kind, code: code, issuedNothing: issuedNothing)
            refusal.serviceText = text
            return refusal
        }
        switch (failure, grant.kind) {
        case (.definiteRefusal(let code), _): throw refusal(.definite, code)
        case (.unexplainedRefusal(let code), .refresh): throw refusal(.unexplained, code)
        // The request has worked before, so a code that speaks of the client means the token.
        case (.clientRefused(let code?), .refresh) where failure.meansTheToken(response.status) && hasWorked:
            throw refusal(.unexplained, code, issuedNothing: failure.issuedNothing(response.status))
        // The service authenticates the client before it looks at the grant (RFC 6749, section
        // 3.2.1): nothing was spent.
        case (.clientRefused, _): throw NotSent(error)
        case (.requestRefused(let code), .refresh) where code.authCode != .serviceTrouble:
            let issuedNothing = failure.issuedNothing(response.status)
            // The same request has worked before, so the fault is with the token.
            if hasWorked { throw refusal(.unexplained, code.rawValue, issuedNothing: issuedNothing) }
            throw issuedNothing ? NotSent(error) : error
        default: throw error
        }
    }

    /// Whether a request of this form has worked before. A request for the standard audience names
    /// no resource, so it is the same for every session.
    private var hasWorked: Bool {
        want.audience == .standard || credential.session(want.session)?.tokens[want.audience] != nil
    }
}
