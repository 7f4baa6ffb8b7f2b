import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// The requirements that the tokens of a sign-in must meet.
struct SignInDemand: Sendable {
    /// The scopes that were asked for.
    var scopes: [String]
    /// The resources that tokens can be requested for later.
    var resources: [String]
    /// The audience of the first token.
    var first: FirstAudience
    /// The nonce that the ID token must carry.
    var nonce: Secret?
    /// How long ago the person may have authenticated at most.
    var maxAge: Duration?
    /// Acceptable authentication contexts; empty: any.
    var acr: [String] = []
    /// The person who must have signed in; `nil` for anybody.
    var subject: String?
    /// The same, by a name that people use.
    var person: ExpectedPerson?
    /// Whether another program signed in, so that the nonce of the sign-in is not known.
    var isTakenOver = false

    /// Whether the caller has asked for something that only an ID token proves.
    var needsPerson: Bool { subject != nil || maxAge != nil || !acr.isEmpty }
}

/// Makes a session from tokens.
extension Conversation {
    func signedIn(
        _ tokens: TokenResponse, _ response: TransportResponse, _ metadata: ServerMetadata, _ demand: SignInDemand
    ) async throws -> Turn {
        try provider.checkType(of: tokens)
        let access = tokens.access(demand.scopes, in: context)
        var session = AuthSession(id: AuthSession.ID(context.world.randomName()), account: AccountID(""))
        if tokens.refreshToken != nil, let lasts = tokens.refreshExpiresIn {
            session.limits = SessionLimits(idle: context.lifetime(lasts))
        }
        var subject: String?
        // Without an ID token the answer says nothing about the person. Plain OAuth services ignore the scope, and device
        // flows need not bring one; what the tokens are good for does not depend on it.
        if demand.scopes.contains(OAuthWire.Scope.openid), tokens.idToken != nil || demand.needsPerson {
            let claims = try await claims(tokens, response, metadata, demand)
            // At an issuer that tenants share, a subject is one person within its tenant only.
            subject = provider.known.issuerTemplate == nil ? claims.subject : "\(claims.issuer) \(claims.subject)"
            session.authenticatedAt = claims.authenticatedAt
            var state = SessionState(claims, tokens.idToken ?? Secret(""))
            state.isTakenOver = demand.isTakenOver
            if state.person?.label == nil, demand.first.audience == .standard || demand.first.isOnlyResource {
                state.userInfo = try await userInfo(access, metadata, claims.subject)
            }
            if let person = state.person { try check(person, demand) }
            session.label = state.person?.label
            session.state = state.json()
        }
        session.tokens = demand.first.tokens(access, alsoStandard: subject == nil || tokens.refreshToken == nil)
        if demand.isTakenOver, subject == nil { session.state = SessionState(isTakenOver: true).json() }
        session.account =
            subject.map { AccountID(subject: $0, of: provider.binding) } ?? provider.unnamedAccount(in: context)
        let state = CredentialState(scopes: tokens.scopes ?? demand.scopes, resources: demand.resources)
        return .signedIn(Grant(refreshToken: tokens.refreshToken, session, state: state.json))
    }

    private func claims(
        _ tokens: TokenResponse, _ response: TransportResponse, _ metadata: ServerMetadata, _ demand: SignInDemand
    ) async throws -> IDTokenClaims {
        guard let idToken = tokens.idToken else {
            throw AuthError(
                .untrusted(.malformed), "The token answer has no `\(OAuthWire.idToken)`.", provider: provider.name)
        }
        var rules = provider.idTokenRules(response, context)
        rules.nonce = demand.nonce
        rules.isOfUnknownSignIn = demand.isTakenOver
        rules.maxAge = demand.maxAge
        rules.accessToken = tokens.accessToken
        rules.requiredACR = Set(demand.acr)
        let claims: IDTokenClaims
        do {
            claims = try await directory.check(idToken, rules, metadata)
            provider.learn(claims, by: rules, context)
        } catch let error as JOSEError {
            throw provider.named(error.authError)
        }
        guard demand.subject == nil || demand.subject == claims.subject else {
            throw AuthError(
                .refused(.otherPerson), "Another person signed in than was asked for. That sign-in is not kept.",
                provider: provider.name)
        }
        return claims
    }

    /// Returns the claims of the userinfo endpoint. If the call fails, there are none; if it answers for another
    /// person, the sign-in fails.
    private func userInfo(_ token: AccessToken, _ metadata: ServerMetadata, _ subject: String) async throws -> JSON? {
        guard provider.asksUserInfo, metadata.userinfoEndpoint != nil else { return nil }
        do {
            return try await UserInfoCall(provider: provider, context: context).claims(of: subject, with: token)
        } catch let error as AuthError where error.code == .untrusted(.subject) {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }
}

extension OAuthProvider {
    /// Refuses a token of a type that was not asked for (RFC 6749, section 7.1).
    func checkType(of tokens: TokenResponse) throws(AuthError) {
        guard tokens.scheme == "Bearer" else {
            throw AuthError(
                .untrusted(.malformed), "The token type is not `Bearer`, which alone was asked for.", provider: name)
        }
    }

    /// Returns the rules for an ID token in `response`, which has just come from the token endpoint, with the service's
    /// clock as that answer shows it: by its `Date`, else by the token's own `iat`.
    func idTokenRules(_ response: TransportResponse, _ context: ProviderContext) -> IDTokenRules {
        let wall = context.world.clock.wall()
        let told = ServerClock.offset(response.fields, wall: wall)
        var rules = IDTokenRules(
            issuer: issuer ?? "", clientID: clientID,
            now: wall.addingTimeInterval((told ?? context.serverOffset).inSeconds))
        rules.trustsIssueTime = told == nil
        if told != nil { rules.ownNow = wall }
        rules.trustedAudiences = trustedAudiences
        (rules.issuerTemplate, rules.tenantKeys) = (known.issuerTemplate, known.tenantKeys)
        return rules
    }

    /// Takes the time of an ID token that was checked by `rules` for the service's, where the answer's `Date` was missing
    /// or wrong.
    func learn(_ claims: IDTokenClaims, by rules: IDTokenRules, _ context: ProviderContext) {
        let time = Date(timeIntervalSince1970: rules.now(issuedAt: claims.issuedAt.timeIntervalSince1970))
        if rules.trustsIssueTime {
            // The clock has gone on since the answer came, while the keys were fetched.
            let then = rules.now.addingTimeInterval(-context.serverOffset.inSeconds)
            context.noteServiceTime(time, at: then)
        } else if let own = rules.ownNow, abs(time.timeIntervalSince(rules.now)) > 1 {
            context.noteServiceTime(own, at: own)
        }
    }
}
