import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore

/// Signing in with a browser.
extension Conversation {
    /// Builds the address to visit.
    func visit(_ options: SignInOptions) async throws -> Turn {
        try await visit(options, VisitState.Wish(acr: options.acr))
    }

    /// Builds the address for a step-up, which asks for more proof than the principal's session has.
    func visit(_ options: SignInOptions, raising stepUp: StepUp) async throws -> Turn {
        guard let principal = context.principal else {
            throw AuthError(.configuration(.invalid), "Nobody is there to step up.", provider: provider.name)
        }
        var options = options
        options.maxAge = stepUp.maxAge ?? options.maxAge
        if options.scopes.isEmpty, !stepUp.scopes.isEmpty {
            let granted = CredentialState(principal.credential.state).scopes
            options.scopes = granted + stepUp.scopes.filter { !granted.contains($0) }
        }
        let subject = SessionState(principal.session.state).claims?[OAuthWire.sub]?.string
        return try await visit(
            options, VisitState.Wish(acr: stepUp.acr.isEmpty ? options.acr : stepUp.acr, subject: subject))
    }

    private func visit(_ options: SignInOptions, _ wish: VisitState.Wish) async throws -> Turn {
        guard let redirect = options.redirect ?? provider.redirect else {
            throw AuthError(
                .configuration(.invalid), "Nobody receives the redirect: neither a presenter nor the configuration.",
                provider: provider.name)
        }
        try provider.check(redirect: redirect)
        let metadata = try await directory.metadata()
        guard let endpoint = metadata.authorizationEndpoint else {
            throw provider.lacks("authorization endpoint", OAuthWire.authorizationEndpoint, metadata)
        }
        guard !metadata.requiresPushedRequests else {
            throw AuthError(
                .configuration(.unsupported), "The service takes pushed authorization requests only.",
                provider: provider.name)
        }
        let request = try authorizationRequest(options, redirect, metadata, wish)
        var transaction = AuthorizationTransaction(
            state: request.state, nonce: request.nonce, verifier: request.pkce.verifier, redirect: redirect,
            issuer: metadata.issuer, client: provider.clientID, scopes: request.scopes,
            createdAt: context.serverNow, namesIssuer: metadata.namesIssuer)
        transaction.maxAge = options.maxAge
        transaction.resources = request.resources
        if metadata.issuer.isEmpty {
            transaction.origins = [endpoint, metadata.tokenEndpoint].compactMap { WebAddress($0)?.origin }
        }
        var state = VisitState(
            transaction: transaction, first: firstAudience(options, request.resources), acr: wish.acr,
            subject: wish.subject, choosesScopes: choosesScopes(options))
        state.person = options.expectedPerson
        return .asked(
            Challenge(
                id: context.world.randomName(), binding: provider.binding,
                ask: .visit(url: try request.url(at: endpoint), redirect: redirect),
                expiresAt: context.serverNow.addingTimeInterval(Self.visitLifetime.inSeconds), state: state.json))
    }

    private func authorizationRequest(
        _ options: SignInOptions, _ redirect: String, _ metadata: ServerMetadata, _ wish: VisitState.Wish
    ) throws -> AuthorizationRequest {
        let scopes = try scopes(options, metadata)
        try directory.checkKeyAddress(metadata, for: scopes)
        let state = Secret(Base64URL.encode(context.world.random(16)))
        let nonce = Secret(Base64URL.encode(context.world.random(16)))
        let pkce = try proofKey()
        var request = AuthorizationRequest(
            clientID: provider.clientID, redirect: redirect, scopes: scopes, state: state,
            nonce: scopes.contains(OAuthWire.Scope.openid) ? nonce : nil, pkce: pkce)
        request.prompt = options.prompt
        request.asksConsent = provider.asksConsent ?? provider.known.needsConsent
        request.maxAge = options.maxAge
        request.loginHint = options.loginHint
        (request.acr, request.demandsACR) = (wish.acr, metadata.takesClaims)
        request.locales = options.locales
        request.resources = try resources(options)
        request.extra = provider.authorizationParameters
        return request
    }

    /// Checks the redirect, exchanges its code once and makes the grant.
    func arrived(at address: Secret, _ challenge: Challenge) async throws -> Turn {
        let visit = try VisitState(challenge.state)
        let code: Secret
        do throws(AuthError) {
            code = try AuthorizationResponse.check(address, against: visit.transaction)
        } catch {
            let error = provider.named(error).naming(ownScopes: visit.choosesScopes ? visit.transaction.scopes : [])
            // Without the state it proves nothing, and may be forged: the person's own redirect may still come.
            switch error.code {
            case .untrusted(.redirect), .untrusted(.state): throw StillOpen(error)
            default: throw error
            }
        }
        let transaction = visit.transaction
        let metadata = try await directory.metadata()
        // Before the code is spent, which can be used only once.
        if transaction.nonce != nil { try directory.demandKeys(metadata) }
        let grant = TokenGrant.code(code, redirect: transaction.redirect, verifier: transaction.verifier)
        let (response, request) = try await send(grant, to: metadata, for: visit.first.audience)
        return try await judging(response) {
            try await signedIn(try tokens(in: response, to: request, grant), response, metadata, visit.demand)
        }
    }
}

extension VisitState {
    /// What a step-up asks for in addition to a sign-in.
    struct Wish: Sendable {
        var acr: [String] = []
        var subject: String?
    }

    /// The requirements that the answer to the exchange must meet.
    var demand: SignInDemand {
        SignInDemand(
            scopes: transaction.scopes, resources: transaction.resources, first: first,
            nonce: transaction.nonce, maxAge: transaction.maxAge, acr: acr, subject: subject,
            person: person.map(ExpectedPerson.init))
    }
}

extension OAuthProvider {
    /// The error for an endpoint that is needed, and is missing in the document, or holds no address that may be used.
    func lacks(_ what: String, _ member: String, _ metadata: ServerMetadata) -> AuthError {
        metadata.problem(with: member).map(named)
            ?? AuthError(.configuration(.unsupported), "The service has no \(what).", provider: name)
    }
}
