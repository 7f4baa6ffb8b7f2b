public import Latchkey
import LatchkeyJSON

extension HarbourProvider: SessionRevoking {
    /// Trades the refresh token for the next one and an access token.
    public func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        guard let token = credential.refreshToken else { throw Refusal(.definite, code: "no_token") }
        let answer: JSONField
        do {
            answer = try await post("/refresh", ["refresh": .string(token.revealText())], in: context)
        } catch let error as HarbourError {
            throw error.ofRefresh
        }
        let next = Secret(try answer["refresh"].string())
        // The token that was sent is spent by now, whatever else is wrong with the answer.
        context.carry(next)
        let skipper = AccountID(subject: try answer["skipper"].string(), of: rules.binding)
        guard skipper == credential.session(want.session)?.account else {
            throw AuthError(.untrusted(.subject), "the harbour's answer is another skipper's", provider: "harbour")
        }
        return CredentialChange(
            refreshToken: next,
            minted: [want.session: [want.audience: try access(answer, in: context)]])
    }

    /// Tells the harbour that the session is over.
    public func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
        guard let token = revocation.credential.refreshToken else { return }
        do {
            _ = try await post("/sign-out", ["refresh": .string(token.revealText())], in: context)
        } catch let error as HarbourError {
            // That it is over already is what was wanted. Whatever else it says, it did not do it.
            guard error.code == .tokenSpent || error.code == .sessionEnded else { throw error.ofSignIn }
        }
    }

    /// The access token of an answer.
    func access(_ answer: JSONField, in context: ProviderContext) throws -> AccessToken {
        guard try answer["token_type"].string() == "Bearer", try !answer["access"].string().isEmpty else {
            throw AuthError(.untrusted(.malformed), "the harbour's token is of an unknown kind", provider: "harbour")
        }
        return AccessToken(
            Secret(try answer["access"].string()),
            lifetime: context.lifetime(.seconds(try answer["seconds"].integer())))
    }
}
