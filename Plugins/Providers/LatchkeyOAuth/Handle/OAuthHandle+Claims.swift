public import Latchkey
import LatchkeyOAuthCore

extension OAuthHandle {
    /// The person's claims as they are kept with the session, or `nil` if the sign-in did not ask for `openid` and so
    /// brought none. Sends nothing.
    ///
    /// They come from the ID token, which a refresh may replace, and from the last ``refreshClaims()``. Of a claim that
    /// both have, the userinfo endpoint's counts, until a newer ID token changes it.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `signInRequired` if nobody is signed in, `locked`, or a `store` code.
    public var claims: OpenIDClaims? {
        get async throws(AuthError) { SessionState(try await session().state).person }
    }

    /// Asks the service's userinfo endpoint for the person's claims, and keeps them with the session. The account's
    /// label follows them.
    ///
    /// The call uses a valid access token. If the service rejects it all the same, the session is refreshed and the
    /// call made once more. Whatever goes wrong, the claims that are kept stay. Signed claims are checked with the
    /// issuer's keys ([OpenID Connect Core, section
    /// 5.3](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo)).
    ///
    /// - Returns: All claims, those of the ID token included.
    /// Whatever the endpoint answers, it says nothing about the session: services have access tokens that are meant for an
    /// API, and no good there.
    ///
    /// - Throws: `untrusted(.subject)` if the claims are another person's; `untrusted(.issuer)`, `untrusted(.claims)`,
    ///   `untrusted(.signature)` or `untrusted(.malformed)` if signed claims do not hold; `untrusted(.malformed)` for
    ///   more than 32 KiB; `refused(.scope)` if the token lacks a scope, or the endpoint rejects a new one too;
    ///   `refused(.denied)`;
    ///   `configuration(.unsupported)` if the service has no userinfo endpoint or encrypts its claims, or the sign-in
    ///   did not ask for `openid`; `offline`, `serviceTrouble`, `rateLimited`.
    @discardableResult
    public func refreshClaims() async throws(AuthError) -> OpenIDClaims {
        let session = try await session()
        guard SessionState(session.state).person != nil else { throw provider.saysNobody }
        _ = try await client.accessToken(of: session.account)
        let refused: AccessToken
        switch try await ask(about: session.account) {
        case .claims(let claims): return claims
        case .refused(let token): refused = token
        }
        // Another caller may have refreshed it meanwhile.
        if client.currentToken(of: session.account) == refused { try await client.refresh(of: session.account) }
        guard case .claims(let claims) = try await ask(about: session.account) else {
            throw AuthError(
                .refused(.scope),
                "The userinfo endpoint takes no access token of this session, not a new one either; they may be meant for "
                    + "another API. The session goes on, and the claims that are kept stay.", provider: provider.name)
        }
        return claims
    }

    private enum Outcome: Sendable {
        case claims(OpenIDClaims)
        case refused(AccessToken)
    }

    private func ask(about account: AccountID) async throws(AuthError) -> Outcome {
        try await run(account) { [provider] held in
            var state = SessionState(held.session.state)
            guard let person = state.person, let token = held.session.tokens[.standard] else {
                throw provider.saysNobody
            }
            let call = UserInfoCall(provider: provider, context: held.context)
            do {
                state.userInfo = try await call.claims(of: person.subject, with: token)
            } catch let error as AuthError where error.code == .signInRequired(.notAccepted) {
                return (CredentialChange(), .refused(token))
            }
            return (held.change(state), .claims(state.person ?? person))
        }
    }
}

extension OAuthProvider {
    /// The error if nothing says who signed in.
    fileprivate var saysNobody: AuthError {
        AuthError(
            .configuration(.unsupported),
            "The sign-in brought no ID token, so the service does not say who the person is. Ask for the scope `openid`.",
            provider: name)
    }
}
