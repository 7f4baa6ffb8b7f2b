import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// Who a request speaks for.
struct SupabaseCaller {
    var person: SupabasePerson
    var session: SupabaseSession
    /// What the token says, which may be older than what the session knows.
    var level: String
}

extension SupabaseState {
    /// The person and the session of a request's access token.
    func caller(_ call: SupabaseCall) throws(SupabaseFailure) -> SupabaseCaller {
        let claims = try claims(ofAccessToken: try call.bearer())
        guard let person = claims["sub"]?.string.flatMap({ people[$0] }) else {
            throw SupabaseFailure(403, .userNotFound, "User from sub claim in JWT does not exist")
        }
        guard !person.isBanned(now) else { throw SupabaseFailure(403, .userBanned, "User is banned") }
        guard let session = claims["session_id"]?.string.flatMap({ sessions[$0] }), session.user == person.id else {
            throw SupabaseFailure(403, .sessionNotFound, "Session from session_id claim in JWT does not exist")
        }
        return SupabaseCaller(person: person, session: session, level: claims["aal"]?.string ?? "aal1")
    }

    /// Whether a request comes with the secret key.
    func isService(_ call: SupabaseCall) -> Bool {
        let secret = Array(settings.secretKey.utf8)
        let sent = [call.request.field("apikey"), try? call.bearer()].compactMap(\.self)
        return sent.contains { constantTimeEqual(Array($0.utf8), secret) }
    }

    /// Ends sessions: all of the user, this one, or the others.
    mutating func logout(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        let caller = try caller(call)
        let mine = caller.session.id
        switch call.query(SupabaseWire.scope) ?? "global" {
        case "global": endSessions(of: caller.person.id)
        case "local": sessions[mine] = nil
        case "others": endSessions(of: caller.person.id) { $0.id != mine }
        case let scope: throw .validation("Unsupported logout scope \"\(scope)\"")
        }
        return SupabaseReply.nothing
    }
}
