import Latchkey
import LatchkeyJSON

/// A session that a link carries in its fragment. An attacker may have made the link, so the session counts only after the
/// service has said whose it is.
struct LinkSession: Sendable {
    let members: [String: JSON]
    let service: SupabaseService

    /// The access token.
    var access: Secret { Secret(members[SessionAnswer.Member.access]?.string ?? "") }

    /// Asks the service whose session it is. Returns the person and the answer that says so.
    func person() async throws -> (user: JSON, response: TransportResponse) {
        let response = try await service.send(.user(access))
        return (try service.read(response) { $0 }, response)
    }

    /// Returns the session in the form of any other answer.
    func answer(_ user: JSON, _ response: TransportResponse) throws(AuthError) -> SessionAnswer {
        var members = members
        members[SessionAnswer.Member.user] = user
        do throws(JSONError) {
            var answer = try SessionAnswer(.object(members))
            answer.see(response, service.context)
            return answer
        } catch {
            throw AuthError(
                .untrusted(.malformed), "The link cannot be used: \(error).", provider: service.provider.name)
        }
    }

    /// Ends the session at the service, because it was not asked for here. The error says whether that succeeded.
    func dropped(_ why: String) async -> AuthError {
        let refresh = members[SessionAnswer.Member.refresh]?.string.map { Secret($0) }
        return await service.dropped(access, refresh, why)
    }
}

extension SupabaseService {
    /// Ends a session that is not kept here. Returns the error for the app.
    func dropped(_ access: Secret, _ refresh: Secret?, _ why: String) async -> AuthError {
        let isTold = (try? await end(access, refresh)) == true
        let fate = isTold ? "ended at the service" : "the service could not be told"
        return AuthError(
            .untrusted(.subject), "\(why): it was dropped, and \(fate).", provider: provider.name,
            serviceCode: SupabaseErrorCode.sessionNotAskedFor.rawValue)
    }

    /// Ends the session at the service and returns whether it is over. If the access token has
    /// expired, this takes a refresh.
    private func end(_ access: Secret, _ refresh: Secret?) async throws -> Bool {
        if try await provider.logOut(.thisSession, access, self) { return true }
        guard let refresh, !refresh.isEmpty else { return false }
        do {
            return try await provider.logOut(.thisSession, provider.refreshed(refresh, self).access, self)
        } catch let refusal as Refusal {
            return refusal.kind == .definite
        }
    }
}
