public import Latchkey

extension SupabaseProvider: SessionRevoking {
    /// Logs out by the access token.
    ///
    /// - Throws: `signInRequired(.notAccepted)` where the service does not take the token: the engine gets another one.
    ///   `configuration(.unsupported)` where other sessions shall end too, and this one is over already: nothing is left
    ///   to ask with. Otherwise what came in the way.
    public func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
        let service = SupabaseService(provider: self, context: context)
        let sessions = revocation.credential.sessions.filter { revocation.session ?? $0.id == $0.id }
        guard let session = sessions.first else { return }
        try await worded {
            if let token = session.tokens[.standard], try await logOut(revocation.scope, token.value, service) {
                return
            }
            throw AuthError(
                .signInRequired(.notAccepted), "The service does not take the session's access token.", provider: name)
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
