public import Latchkey
import LatchkeyCrypto
import LatchkeyJSON

extension SupabaseProvider {
    /// Refreshes the session.
    ///
    /// - Throws: ``/Latchkey/Refusal``: `definite` for a code on `RefreshVerdict`'s list, and
    ///   `unexplained` for a refusal of the service that has no reason on that list. ``/Latchkey/NotSent``; ``/Latchkey/TransportError``; ``/Latchkey/AuthError``.
    public func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        let (session, token) = try checked(credential, want)
        let answer = try await refreshed(
            token, SupabaseService(provider: self, context: context), isRotation: true)
        guard AccountID(subject: answer.subject, of: binding) == session.account else {
            // The session was taken over from another client and belongs to another person than that client stored.
            if session.tokens.isEmpty { throw Refusal(.definite, code: SupabaseImport.otherPerson) }
            throw AuthError(.untrusted(.subject), "The refresh speaks of another person.", provider: name)
        }
        return change(answer, of: session, in: context)
    }

    /// What a refresh of `credential` sends, and for which session.
    ///
    /// - Throws: ``/Latchkey/NotSent``.
    private func checked(
        _ credential: Credential, _ want: TokenWant
    ) throws(NotSent) -> (session: AuthSession, token: Secret) {
        if let missing = CryptoLibrary.missing { throw NotSent(AuthError(missing, provider: name)) }
        guard credential.binding == binding else {
            throw NotSent(
                AuthError(.configuration(.changed), "The credential was made by another configuration.", provider: name)
            )
        }
        guard let session = credential.session(want.session) else {
            throw NotSent(
                AuthError(.signInRequired(.signedOut), "The session is not part of the credential.", provider: name))
        }
        guard want.audience == .standard else {
            throw NotSent(
                AuthError(.refused(.scope), "The service gives tokens for one audience only.", provider: name))
        }
        // The service would refuse an empty token with a code that means the end of the session.
        guard let token = credential.refreshToken, !token.isEmpty else {
            throw NotSent(
                AuthError(.signInRequired(.expired), "The session has no refresh token.", provider: name))
        }
        return (session, token)
    }

    /// Sends a refresh token once.
    ///
    /// - Parameter isRotation: As in ``SupabaseService/session(_:isRotation:)``.
    func refreshed(
        _ token: Secret, _ service: SupabaseService, isRotation: Bool = false
    ) async throws -> SessionAnswer {
        do {
            return try await service.session(.refresh(token), isRotation: isRotation)
        } catch let failure as SupabaseFailure {
            let code = failure.code?.rawValue
            switch RefreshVerdict(failure.answer) {
            case .gone: throw failure.refusal
            case .unexplained:
                var refusal = Refusal(
                    .unexplained, code: code ?? "unexplained", requestID: failure.answer.requestID)
                refusal.serviceText = failure.answer.said
                throw refusal
            case .notLookedAt: throw NotSent(failure.authError(name))
            case .transient: throw failure.passing(name)
            }
        }
    }

    /// Returns what an answer changes about `session`.
    func change(_ answer: SessionAnswer, of session: AuthSession, in context: ProviderContext) -> CredentialChange {
        var next = self.session(answer, in: context, over: session)
        next.id = session.id
        next.account = session.account
        return CredentialChange(refreshToken: answer.refresh, minted: [next.id: next.tokens], sessions: [next])
    }

    /// Returns the session in an answer. What only an earlier answer said stays.
    func session(_ answer: SessionAnswer, in context: ProviderContext, over old: AuthSession? = nil) -> AuthSession {
        var state = SessionState(old?.state ?? .object([:]))
        state.user = answer.user ?? state.user
        state.providerTokens.merge(answer.providerTokens) { $1 }
        return AuthSession(
            id: AuthSession.ID(answer.claims.sessionID ?? old?.id.value ?? context.world.randomName()),
            account: AccountID(subject: answer.subject, of: binding),
            label: UserAnswer.label(in: state.user) ?? old?.label, tokens: [.standard: answer.token(in: context)],
            authenticatedAt: answer.claims.authenticatedAt ?? old?.authenticatedAt,
            state: state.json(over: old?.state))
    }
}

extension SupabaseProvider: RefreshPreparing {
    /// Checks what a refresh needs, the system's library among it. It asks the service for nothing.
    ///
    /// - Throws: ``/Latchkey/NotSent``.
    public func prepareRefresh(
        of credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> (any Sendable)? {
        _ = try checked(credential, want)
        return nil
    }
}

extension SupabaseFailure {
    /// The refusal that ends the session, with the reason that the person sees.
    var refusal: Refusal {
        let reason: AuthError.SignInRequiredReason =
            switch code {
            case .userBanned: .banned
            case .sessionExpired: .expired
            default: .refused
            }
        var refusal = Refusal(.definite, code: code?.rawValue ?? "", requestID: answer.requestID, reason: reason)
        refusal.serviceText = answer.said
        return refusal
    }

    /// Returns the error of ``authError(_:)`` for a refresh: its code must not mean the end of the
    /// session or wrong input.
    fileprivate func passing(_ provider: ProviderID) -> AuthError {
        var error = authError(provider)
        if error.code != .rateLimited, error.foreign == nil { error.code = .serviceTrouble }
        return error
    }
}
