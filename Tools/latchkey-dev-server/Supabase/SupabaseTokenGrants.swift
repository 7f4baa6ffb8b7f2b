import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// Answers at the token endpoint.
    mutating func token(
        _ call: SupabaseCall, clients: [String], note: inout Note
    ) throws(SupabaseFailure) -> ServerResponse {
        let grant = call.query(SupabaseWire.grantType)
        if grant != "web3" { try limit(.token, call) }
        switch grant {
        case "password": return try passwordGrant(call, note: &note)
        case SupabaseWire.refreshToken: return try refresh(call, note: &note)
        case "pkce": return try exchange(call, note: &note)
        case SupabaseWire.idToken: return try idTokenGrant(call, clients: clients, note: &note)
        case "web3": return try web3Grant(call, note: &note)
        default:
            note.grant = "other"
            throw SupabaseFailure(400, .invalidCredentials, "unsupported_grant_type")
        }
    }

    private mutating func passwordGrant(
        _ call: SupabaseCall, note: inout Note
    ) throws(SupabaseFailure) -> ServerResponse {
        let body = try captchaBody(call)
        let (email, phone) = (try body.string(SupabaseWire.email), try body.string(SupabaseWire.phone))
        let password = try body.string(SupabaseWire.password) ?? ""
        guard email == nil || phone == nil else {
            throw .validation("Only an email address or phone number should be provided on login.")
        }
        guard email != nil || phone != nil else { throw .validation("missing email or phone") }
        if email != nil, !settings.allowsEmail {
            throw SupabaseFailure(422, .emailProviderDisabled, "Email logins are disabled")
        }
        if phone != nil, !settings.allowsPhone {
            throw SupabaseFailure(422, .phoneProviderDisabled, "Phone logins are disabled")
        }
        let found =
            if let email { person(email: email.lowercased()) } else {
                person(phone: try Self.checkedPhone(phone ?? ""))
            }
        guard var person = found, let expected = person.password, constantTimeEqual(expected, digest(password)) else {
            throw SupabaseFailure(400, .invalidCredentials, "Invalid login credentials")
        }
        guard !person.isBanned(now) else { throw SupabaseFailure(400, .userBanned, "User is banned") }
        if email != nil, person.emailConfirmedAt == nil {
            throw SupabaseFailure(400, .emailNotConfirmed, "Email not confirmed")
        }
        if phone != nil, person.phoneConfirmedAt == nil {
            throw SupabaseFailure(400, .phoneNotConfirmed, "Phone not confirmed")
        }
        let session = begin(for: &person, by: "password", agent: call.request.field("User-Agent"))
        note.family = session.serial
        let weakness = weakness(of: password)
        let told: JSON =
            weakness.reasons.isEmpty
            ? .null
            : ["message": .string(weakness.message), "reasons": .array(weakness.reasons.map(JSON.string))]
        return try answer(session, people[person.id] ?? person, extra: [SupabaseWire.weakPassword: told])
    }

    func captchaBody(_ call: SupabaseCall) throws(SupabaseFailure) -> SupabaseBody {
        let body = try call.body()
        try checkCaptcha(body, call)
        return body
    }
}
