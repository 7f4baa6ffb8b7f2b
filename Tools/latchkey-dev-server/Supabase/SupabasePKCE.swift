import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// The challenge that a program sends at the start of a PKCE flow.
struct SupabaseChallengePair {
    var challenge: String
    var method: String

    /// Whether the verifier matches the challenge.
    static func fits(_ verifier: String, _ challenge: String, _ method: String) -> Bool {
        let bytes = Array(verifier.utf8)
        let computed = method == "plain" ? verifier : Base64URL.encode(Hash.digest(bytes))
        return constantTimeEqual(Array(computed.utf8), Array(challenge.utf8))
    }
}

extension SupabaseState {
    /// Returns the body's challenge. For an unknown method it throws the service's error without a code.
    func challenge(_ body: SupabaseBody) throws(SupabaseFailure) -> SupabaseChallengePair? {
        let pair = try challenge(
            try body.string(SupabaseWire.codeChallenge), try body.string(SupabaseWire.codeChallengeMethod))
        guard let pair else { return nil }
        guard pair.method == "s256" || pair.method == "plain" else { throw .unexpected }
        return pair
    }

    func challenge(_ challenge: String?, _ method: String?) throws(SupabaseFailure) -> SupabaseChallengePair? {
        guard challenge != nil || method != nil else { return nil }
        guard let challenge, let method else {
            throw .validation("PKCE flow requires code_challenge_method and code_challenge")
        }
        guard challenge.wholeMatch(of: /[A-Za-z0-9._~-]{43,128}/) != nil else {
            throw .validation("code challenge has to be between 43 and 128 characters of its alphabet")
        }
        return SupabaseChallengePair(challenge: challenge, method: method.lowercased())
    }

    /// Begins a flow that a mail's link ends. It replaces the person's previous flow of that method.
    mutating func begin(_ pair: SupabaseChallengePair, for person: SupabasePerson, method: String) {
        var flow = SupabaseFlow(method: method, createdAt: now)
        (flow.user, flow.challenge, flow.challengeMethod) = (person.id, pair.challenge, pair.method)
        flows[flow.id] = flow
        mailFlows["\(person.id)/\(method)"] = flow.id
    }

    /// Returns the code of a flow.
    mutating func code(for flow: SupabaseFlow, user: String) -> String {
        var flow = flow
        let code = UUIDText.make()
        (flow.code, flow.codeAt, flow.user) = (code, now, user)
        flows[flow.id] = flow
        flowCodes[code] = flow.id
        return code
    }

    /// Exchanges a code for a session.
    mutating func exchange(_ call: SupabaseCall, note: inout Note) throws(SupabaseFailure) -> ServerResponse {
        let body = try call.body()
        guard let code = try body.string(SupabaseWire.authCode),
            let verifier = try body.string(SupabaseWire.codeVerifier)
        else { throw .validation("invalid request: both auth code and code verifier should be non-empty") }
        guard let flow = flowCodes[code].flatMap({ flows[$0] }), flow.code == code,
            var person = flow.user.flatMap({ people[$0] })
        else { throw SupabaseFailure(404, .flowStateNotFound, "invalid flow state, no valid flow state found") }
        let begun = flow.method == "magiclink" ? flow.codeAt ?? flow.createdAt : flow.createdAt
        guard now < begun + settings.flowLifetime else {
            throw SupabaseFailure(422, .flowStateExpired, "invalid flow state, flow state has expired")
        }
        guard SupabaseChallengePair.fits(verifier, flow.challenge ?? "", flow.challengeMethod) else {
            throw SupabaseFailure(
                400, .badCodeVerifier, "code challenge does not match previously saved code verifier")
        }
        flows[flow.id] = nil
        flowCodes[code] = nil
        let session = begin(for: &person, by: flow.method, agent: call.request.field("User-Agent"))
        note.family = session.serial
        var extra: [String: JSON] = [:]
        extra[SupabaseWire.providerToken] = flow.providerToken.map(JSON.string)
        extra[SupabaseWire.providerRefreshToken] = flow.providerRefreshToken.map(JSON.string)
        return try answer(session, people[person.id] ?? person, extra: extra)
    }
}
