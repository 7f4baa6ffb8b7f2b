public import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

extension ClerkProvider: SessionRevoking {
    /// Ends the credential's sessions, the person's other sessions, or both. Sessions on other
    /// devices are ended one by one, as the service lists them.
    ///
    /// - Throws: `configuration(.unsupported)` if the other sessions can no longer be reached
    ///   because this one is over. Any other error means that the sign-out failed.
    public func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
        guard let token = revocation.credential.refreshToken else { return }
        var service = ClerkService(self, context, token: token, of: revocation.credential)
        service.wording = { $0 }
        defer { service.carry() }
        for session in revocation.credential.sessions
        where revocation.session == nil || revocation.session == session.id {
            if revocation.scope != .thisSession { try await endOthers(of: session, service) }
            if revocation.scope != .others { try await remove(session, service) }
        }
    }

    private func remove(_ session: AuthSession, _ service: ClerkService) async throws {
        do {
            _ = try await service.post("/client/sessions/\(FormEncoding.encode(session.id.value))/remove")
        } catch let failure as ClerkFailure {
            // The session is already over, which is what was wanted.
            guard failure.code != nil, [401, 404].contains(failure.status) else {
                throw failure.error(isSigningIn: false)
            }
        }
    }

    private func endOthers(of session: AuthSession, _ service: ClerkService) async throws {
        let query = FormParameters(of: ["_clerk_session_id": session.id.value])
        do {
            for entry in try await service.get(ClerkService.sessionsPath, query).array ?? [] {
                guard let id = entry["id"]?.string, id != session.id.value else { continue }
                do {
                    _ = try await service.send(
                        "POST", "/me/sessions/\(FormEncoding.encode(id))/revoke", query, body: [])
                } catch let failure as ClerkFailure where failure.status == 404 && failure.isPublished {
                    // The session has ended since it was listed.
                }
            }
        } catch let failure as ClerkFailure {
            if failure.status == 401, failure.isPublished {
                throw error(
                    .configuration(.unsupported), "This session is over, so the others cannot be ended from here.")
            }
            throw failure.error(isSigningIn: false)
        }
    }
}
