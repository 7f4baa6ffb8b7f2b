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

    /// What the token says that reaches the service: the caller's own, or the one that the gateway makes of a key.
    func claims(of call: SupabaseCall) throws(SupabaseFailure) -> JSON {
        if let role = call.keyRole { return ["role": .string(role)] }
        return try claims(ofAccessToken: try call.bearer())
    }

    /// Whether a request speaks for the project's own servers: by a token of `service_role`, its own or its key's.
    func isService(_ call: SupabaseCall) -> Bool {
        guard let claims = try? claims(of: call) else { return false }
        return ["service_role", "supabase_admin"].contains(claims["role"]?.string ?? "")
    }

    /// The role of the key in `apikey`, where the gateway puts a token of it into the request: there is no bearer, or the
    /// same key is the bearer, as some clients always send it. A key is no token, so the service would refuse it.
    func keyRole(_ request: ServerRequest) -> String? {
        guard let publishable = settings.publishableKey, let key = request.field("apikey") else { return nil }
        if let authorization = request.field("Authorization") {
            let parts = authorization.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1] == key else { return nil }
        }
        if constantTimeEqual(Array(key.utf8), Array(settings.secretKey.utf8)) { return "service_role" }
        return key == publishable ? "anon" : nil
    }

    /// Whether `key` is a project's key of the older format: a token of a role that nobody has.
    func isLegacyKey(_ key: String) -> Bool {
        guard let claims = try? claims(ofAccessToken: key) else { return false }
        return ["anon", "service_role"].contains(claims["role"]?.string ?? "")
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
