public import Latchkey

extension SupabaseProvider: SessionRevoking {
    /// Logs out, which needs an access token that is still good: without one, the session is refreshed first, unless
    /// it is the one that stays.
    ///
    /// - Throws: `configuration(.unsupported)` where other sessions shall end too, and this one is over already: nothing
    ///   is left to ask with. Otherwise what came in the way.
    public func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
        guard revocation.credential.binding == binding else {
            throw AuthError(
                .configuration(.changed), "The credential was made by another configuration.", provider: name)
        }
        let service = SupabaseService(provider: self, context: context)
        let sessions = revocation.credential.sessions.filter { revocation.session ?? $0.id == $0.id }
        guard let session = sessions.first else { return }
        try await worded {
            if let token = session.tokens[.standard], token.isGood(in: context) {
                if try await logOut(revocation.scope, token.value, service) { return }
            }
            guard revocation.scope != .others else {
                // What a refresh brought could not be kept from here, and this session is to live on.
                throw AuthError(
                    .serviceTrouble, "The service takes none of the session's tokens; refresh it first.", provider: name
                )
            }
            guard let token = revocation.credential.refreshToken, !token.isEmpty else { return }
            let answer: SessionAnswer
            do {
                answer = try await refreshed(token, service)
            } catch let refusal as Refusal where refusal.kind == .definite {
                try isOver(refusal.code, revocation.scope)
                return
            }
            if try await !logOut(revocation.scope, answer.access, service) {
                throw AuthError(
                    .serviceTrouble, "The service does not accept the token that it just gave.", provider: name)
            }
        }
    }

    /// Whether the service knows now. `false`: the token is not good enough to say so.
    func logOut(_ scope: SignOutScope, _ token: Secret, _ service: SupabaseService) async throws -> Bool {
        do {
            _ = try await service.send(.logOut(scope, bearer: token))
            return true
        } catch let failure as SupabaseFailure {
            switch failure.code {
            case .sessionNotFound, .userNotFound:
                try isOver(failure.code?.rawValue ?? "", scope)
                return true
            case .badJWT, .noAuthorization: return false
            default: throw failure
            }
        }
    }

    /// The session is over already, which is all that was wanted; unless it was to end others with it.
    private func isOver(_ code: String, _ scope: SignOutScope) throws(AuthError) {
        if code == SupabaseErrorCode.userBanned.rawValue {
            throw AuthError(
                .signInRequired(.banned), "The account is banned, and its sessions come back when it no longer is.",
                provider: name, serviceCode: code)
        }
        guard scope == .thisSession || code == SupabaseErrorCode.userNotFound.rawValue else {
            throw AuthError(
                .configuration(.unsupported), "The session is over, so the service lets it end no other ones.",
                provider: name, serviceCode: code)
        }
    }
}

extension AccessToken {
    /// Whether it can be expected to be taken; the service allows no second more than it lasts.
    fileprivate func isGood(in context: ProviderContext) -> Bool {
        guard let lifetime else { return true }
        let clock = context.world.clock
        return lifetime.ends(boot: clock.boot, now: clock.now(), serverNow: context.serverNow) > clock.now()
            + .seconds(2)
    }
}
