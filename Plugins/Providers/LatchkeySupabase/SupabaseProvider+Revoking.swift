public import Latchkey

extension SupabaseProvider: SessionRevoking {
    /// Logs out with the access token.
    ///
    /// - Throws: `signInRequired(.notAccepted)` if the service does not accept the token: the
    ///   engine then tries with a new one. `configuration(.unsupported)` if other sessions must end
    ///   too but this one is already over: the service then accepts no request for them. Any other
    ///   error means that the sign-out failed.
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

    /// Logs out and returns whether the service has done so. `false` if it does not accept the token.
    func logOut(_ scope: SignOutScope, _ token: Secret, _ service: SupabaseService) async throws -> Bool {
        do {
            let answer = try await service.send(.logOut(scope, bearer: token))
            // The service has nothing to say about it: a document is somebody else's answer.
            guard answer.status == 204 || answer.body.isEmpty else { throw service.foreign(answer) }
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

    /// Accepts that the session is already over, unless other sessions were to end with it.
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
