public import Latchkey
import LatchkeyJSON
public import LatchkeySupabase

extension SupabaseAdmin {
    /// A user's further factors, verified or not.
    public func factors(of id: String) async throws(AuthError) -> [SupabaseFactor] {
        let path = try path("/admin/users", id) + "/factors"
        return try await run {
            try service.read(await service.send(ServiceRequest("GET", path)), AdminWire.factors)
        }
    }

    /// Removes a further factor, for somebody who has lost it. Sessions that were raised by it are raised no more from
    /// their next refresh on.
    ///
    /// - Throws: `refused(.expired)` with ``/LatchkeySupabase/SupabaseErrorCode/mfaFactorNotFound``.
    public func delete(factor factorID: String, of id: String) async throws(AuthError) {
        let path = try path(path("/admin/users", id) + "/factors", factorID)
        try await remove(ServiceRequest("DELETE", path), missing: .mfaFactorNotFound)
    }

    /// Signs a user out by an access token of theirs, as a server holds it that was asked with it. Their clients are
    /// told at their next call.
    ///
    /// The service has no such call by a user's id. A new password ends all of their sessions, and a ban keeps them from
    /// being refreshed while it lasts (``update(_:_:)``).
    ///
    /// - Parameters:
    ///   - accessToken: Which must still be good.
    ///   - scope: The token's own session, every other one, or all.
    /// - Throws: `refused(.expired)` where the token is good no more. A session that is over already is none of that,
    ///   unless others were to end by it: then `refused(.other)` with
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
