public import Latchkey
import LatchkeyJSON
public import LatchkeySupabase

extension SupabaseAdmin {
    /// Fetches a user's further factors, verified or not.
    public func factors(of id: String) async throws(AuthError) -> [SupabaseFactor] {
        let path = try path("/admin/users", id) + "/factors"
        return try await run {
            try service.read(await service.send(ServiceRequest("GET", path)), AdminWire.factors)
        }
    }

    /// Removes a further factor, for a user who has lost it. Sessions that it had raised fall back
    /// at their next refresh.
    ///
    /// - Throws: `refused(.expired)` with
    ///   ``/LatchkeySupabase/SupabaseErrorCode/mfaFactorNotFound``.
    public func delete(factor factorID: String, of id: String) async throws(AuthError) {
        let path = try path(path("/admin/users", id) + "/factors", factorID)
        try await remove(ServiceRequest("DELETE", path), missing: .mfaFactorNotFound)
    }

    /// Signs a user out with one of their access tokens, such as one that came with a request to
    /// your server. Their clients learn of it at their next call.
    ///
    /// The service cannot sign a user out by id. To end all sessions of a user, set a new password;
    /// to keep them from being refreshed for a time, set a ban (``update(_:_:)``).
    ///
    /// - Parameters:
    ///   - accessToken: An access token that has not expired.
    ///   - scope: Whether to end the token's own session, all other sessions, or all sessions.
    /// - Throws: `refused(.expired)` if the token is no longer valid. A session that is already
    ///   over is not an error, unless other sessions were to end too: then `refused(.other)` with
    ///   ``/LatchkeySupabase/SupabaseErrorCode/sessionNotFound``.
    public func signOut(_ accessToken: Secret, scope: SignOutScope = .everywhere) async throws(AuthError) {
        guard !accessToken.isEmpty, accessToken.reveal().allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw AuthError(.configuration(.invalid), "This is no access token.", provider: Self.name)
        }
        try await run {
            do {
                _ = try await service.send(.logOut(scope, bearer: accessToken))
            } catch let failure as SupabaseFailure {
                switch failure.code {
                case .userNotFound: break
                case .sessionNotFound where scope == .thisSession: break
                case .badJWT:
                    var error = failure.authError(Self.name)
                    (error.code, error.message) = (
                        .refused(.expired), "The access token is not good any more, so it ends no session."
                    )
                    throw error
                default: throw failure
                }
            }
        }
    }
}
