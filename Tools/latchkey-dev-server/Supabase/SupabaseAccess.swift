import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// The person and session that a request speaks for.
struct SupabaseCaller {
    var person: SupabasePerson
    var session: SupabaseSession
    /// The assurance level in the token, which may be older than the session's.
    var level: String
}

extension SupabaseState {
    /// Returns the person and the session of a request's access token.
    func caller(_ call: SupabaseCall) throws(SupabaseFailure) -> SupabaseCaller {
        let claims = try claims(of: call)
        guard let subject = claims["sub"]?.string else {
            throw SupabaseFailure(403, .badJWT, "invalid claim: missing sub claim")
        }
        guard let person = people[subject] else {
            throw SupabaseFailure(403, .userNotFound, "User from sub claim in JWT does not exist")
        }
        guard !person.isBanned(now) else { throw SupabaseFailure(403, .userBanned, "User is banned") }
        guard let session = claims["session_id"]?.string.flatMap({ sessions[$0] }), session.user == person.id else {
            throw SupabaseFailure(403, .sessionNotFound, "Session from session_id claim in JWT does not exist")
        }
        return SupabaseCaller(person: person, session: session, level: claims["aal"]?.string ?? "aal1")
    }

    /// Returns the claims of the token that reaches the service: the caller's, or the gateway's token for a key.
    func claims(of call: SupabaseCall) throws(SupabaseFailure) -> JSON {
        if let role = call.keyRole { return ["role": .string(role)] }
        return try claims(ofAccessToken: try call.bearer())
    }

    /// Whether a request comes from the project's own servers, with a token of `service_role` or a key of that
    /// role.
    func isService(_ call: SupabaseCall) -> Bool {
        guard let claims = try? claims(of: call) else { return false }
        return ["service_role", "supabase_admin"].contains(claims["role"]?.string ?? "")
    }

    /// Returns the role of the key in `apikey`, if the gateway replaces it by a token of that role: there is no
    /// bearer token, or it is the same key, as some clients always send it. The service itself would refuse a key.
    func keyRole(_ request: ServerRequest) -> String? {
        guard let publishable = settings.publishableKey, let key = request.field("apikey") else { return nil }
        if let authorization = request.field("Authorization") {
            let parts = authorization.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1] == key else { return nil }
        }
        if constantTimeEqual(Array(key.utf8), Array(settings.secretKey.utf8)) { return "service_role" }
        return key == publishable ? "anon" : nil
    }

    /// Whether `key` is a project's key of the older format: a token with a role but without a person.
    func isLegacyKey(_ key: String) -> Bool {
        guard let claims = try? claims(ofAccessToken: key) else { return false }
        return ["anon", "service_role"].contains(claims["role"]?.string ?? "")
    }

    /// Ends sessions: all of the user's, this one, or the others.
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
