import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// Returns the members of a token answer.
    func members(
        _ session: SupabaseSession, _ person: SupabasePerson, isSignUp: Bool = false
    ) throws(SupabaseFailure) -> [String: JSON] {
        let (token, expires) = try accessToken(for: session, of: person)
        return [
            "access_token": .string(token), "token_type": "bearer",
            "expires_in": .integer(expires - Int64(wall)), "expires_at": .integer(expires),
            "refresh_token": .string(refreshToken(of: session)), "user": json(person, isSignUp: isSignUp),
        ]
    }

    /// Returns the answer to a sign-in.
    func answer(
        _ session: SupabaseSession, _ person: SupabasePerson, isSignUp: Bool = false, extra: [String: JSON] = [:]
    ) throws(SupabaseFailure) -> ServerResponse {
        let members = try members(session, person, isSignUp: isSignUp).merging(extra) { _, new in new }
        var response = SupabaseReply.json(.object(members))
        for field in fields(of: session) { response.set(field.name, field.value) }
        return response
    }

    /// Returns the header fields of an answer that describe a session.
    func fields(of session: SupabaseSession) -> [(name: String, value: String)] {
        let token =
            switch session.generation {
            case .v1: ("Sb-Auth-Refresh-Token-Prefix", String((session.current ?? "").prefix(5)))
            case .v2: ("Sb-Auth-Refresh-Token-Counter", String(session.counter))
            }
        return Self.owner(session) + [token]
    }

    static func owner(_ session: SupabaseSession) -> [(name: String, value: String)] {
        [("Sb-Auth-Session-Id", session.id), ("Sb-Auth-User-Id", session.user)]
    }
}
