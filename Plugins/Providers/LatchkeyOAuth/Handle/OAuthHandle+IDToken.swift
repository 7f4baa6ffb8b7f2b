import FoundationEssentials
public import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

extension OAuthHandle {
    /// Returns the ID token as the service signed it, for a program that checks it itself. If it has ended, or ends
    /// within `minimumValidity`, the session is refreshed first.
    ///
    /// Whoever gets it can show that the person signed in to this client, until it ends. It opens no API: use an access
    /// token for that.
    ///
    /// - Parameter minimumValidity: How long the token must still be valid, by the service's clock. A token that a
    ///   refresh has just brought is returned even if it lasts for less.
    /// - Parameter refused: A token that the program which checks it has refused. If it is the one that is kept, the
    ///   session is refreshed, however long it would have lasted.
    /// - Throws: `configuration(.unsupported)` if the sign-in brought no ID token; `signInRequired(.expired)` if it has
    ///   ended, and `signInRequired(.notAccepted)` if it is the refused one, and the refresh brings no other, as
    ///   services may do, which does not end the session; whatever the refresh throws.
    public func idToken(
        minimumValidity: Duration = .zero, replacing refused: Secret? = nil
    ) async throws(AuthError) -> OpenIDToken {
        let account = try await session().account
        let (kept, now) = try await kept(of: account)
        if kept.value != refused, kept.lasts(for: minimumValidity, from: now) { return kept }
        try await client.refresh(of: account)
        let (renewed, later) = try await self.kept(of: account)
        guard renewed.lasts(for: .zero, from: later) else {
            throw AuthError(
                .signInRequired(.expired),
                "The ID token has ended, and the service gives no other with a refresh. A new sign-in brings one.",
                provider: provider.name)
        }
        guard renewed.value != refused else {
            throw AuthError(
                .signInRequired(.notAccepted),
                "The ID token was refused, and the service gives no other with a refresh. A new sign-in brings one.",
                provider: provider.name)
        }
        return renewed
    }

    /// Returns the kept ID token, and the time by the service's clock.
    private func kept(of account: AccountID) async throws(AuthError) -> (OpenIDToken, now: Date) {
        try await run(account) { [provider] held in
            guard let token = SessionState(held.session.state).idToken,
                let claims = IDToken.claims(ofKept: token)
            else {
                throw AuthError(
                    .configuration(.unsupported), "The sign-in brought no ID token.", provider: provider.name)
            }
            let ends = Date(timeIntervalSince1970: claims[OpenIDClaimsWire.expires]?.number ?? 0)
            let here = ends.addingTimeInterval(-held.context.serverOffset.inSeconds)
            let kept = OpenIDToken(value: token, expiresAt: ends, endsAt: here)
            return (CredentialChange(), (kept, now: held.context.serverNow))
        }
    }
}

extension OpenIDToken {
    fileprivate func lasts(for validity: Duration, from now: Date) -> Bool {
        expiresAt.timeIntervalSince(now) > validity.inSeconds
    }
}
