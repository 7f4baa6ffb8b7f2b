import FoundationEssentials
import Latchkey
import LatchkeyOAuthCore

/// The ID token of a refresh.
extension Refreshing {
    /// The session's new state, by the answer's ID token (OpenID Connect Core, section 12.2). `nil` if there is none,
    /// or none that can be judged.
    ///
    /// The tokens beside it came over TLS from the token endpoint itself (section 3.1.3.7, step 6), so nothing is
    /// lost if no key fits the signature: the session keeps the claims that it had, and the observer is told.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `untrusted` if the ID token says that the answer is another session's.
    func judge(
        _ tokens: TokenResponse, of session: AuthSession, _ response: TransportResponse, _ metadata: ServerMetadata
    ) async throws -> SessionState? {
        var state = SessionState(session.state)
        guard let idToken = tokens.idToken, let claims = state.claims, let prior = IDTokenClaims(kept: claims) else {
            return nil
        }
        var rules = provider.idTokenRules(response, context)
        rules.prior = prior
        rules.accessToken = tokens.accessToken
        // One that is not newer than the last says nothing about the time of now.
        if let last = state.idToken, !IDToken.isNewer(idToken, than: last) { rules.trustsIssueTime = false }
        do {
            let found = try await directory.checked(
                metadata,
                fetching: {
                    // What is spent is stored before anything else is waited for.
                    if let rotated = tokens.refreshToken { await context.keep(rotated) }
                }
            ) { [rules] keys throws(JOSEError) in
                try IDToken.validate(refreshed: idToken, keys: keys, rules: rules)
            }
            provider.learn(found, by: rules, context)
        } catch {
            // The document speaks of another service than the one that answers.
            if (error as? JOSEError)?.code == .issuer { await directory.forget() }
            try passOver(idToken, rules, error)
            return nil
        }
        state.renew(idToken)
        return state
    }

    /// Throws if the ID token contradicts the session, whether its signature could be checked or not.
    private func passOver(_ token: Secret, _ rules: IDTokenRules, _ error: any Error) throws {
        let found = error as? JOSEError
        let objection = found?.isContradiction == true ? found : IDToken.objection(ofUnchecked: token, rules: rules)
        guard let objection, objection.isContradiction else {
            context.world.observer.observe(.idTokenPassedOver(provider.name, found?.fault ?? .keys))
            return
        }
        // A service with a grace period may answer a reuse with the ID token of its first answer
        // (django-oauth-toolkit does); the app has declared such a service by its refresh rule or by the time.
        if objection.code == .accessTokenHash, hasGraceTime { return }
        throw provider.named(objection.authError)
    }

    private var hasGraceTime: Bool {
        switch provider.refreshRule {
        case .sameSuccessor, .newSuccessor: true
        case .killsFamily, .fixed, .mints: provider.reuseInterval.map { $0 > .zero } ?? false
        }
    }
}

extension JOSEError {
    /// Why the ID token of a refresh was passed over.
    fileprivate var fault: AuthObservation.IDTokenFault {
        switch code {
        case .signature, .algorithmNotAllowed: .signature
        case .expired, .notYetValid, .issuedInFuture, .issuedTooLongAgo: .time
        default: isOfKey ? .keys : .content
        }
    }
}
