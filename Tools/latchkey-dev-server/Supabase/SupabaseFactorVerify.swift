import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// Checks the code of a second factor. The session continues at a higher level, with a new refresh token.
    mutating func verify(
        _ call: SupabaseCall, _ factor: SupabaseFactor, _ caller: SupabaseCaller, note: inout Note
    ) throws(SupabaseFailure) -> ServerResponse {
        try limit(.factorVerify, call)
        let body = try call.body()
        // If the member is there, it must be an identifier; if not, it names no challenge.
        let named = try body.plainString(SupabaseWire.challengeID)
        guard named.map({ UUIDText.isValid($0) }) ?? true else { throw SupabaseCall.unreadable("invalid UUID length") }
        let code = try body.string(SupabaseWire.code)
        guard code != nil || factor.kind == .webauthn else { throw .validation("Code needs to be non-empty") }
        guard let id = named, let challenge = challenges[id], challenge.factor == factor.id else {
            throw SupabaseFailure(422, .mfaFactorNotFound, "MFA factor with the provided challenge ID not found")
        }
        guard !challenge.isUsed else {
            throw SupabaseFailure(422, .mfaAddressMismatch, "Challenge and verify IP addresses mismatch.")
        }
        guard now < challenge.expires else {
            challenges[id] = nil
            throw SupabaseFailure(
                422, .mfaChallengeExpired,
                "MFA challenge \(id) has expired, verify against another challenge or create a new challenge.")
        }
        var factor = factor
        if factor.kind == .webauthn {
            factor.credential = try webAuthnAnswer(body, factor, challenge.request)
            factor.lastAnswer = body.members["webauthn"]
        } else {
            try check(code: code ?? "", factor, challenge)
        }
        challenges[id]?.isUsed = true
        let person = verified(factor, of: caller.person)
        let session = raise(caller.session, by: factor)
        (note.family, note.generation) = (session.serial, session.counter)
        endSessions(of: person.id) { $0.id != session.id && !$0.hasSecondFactor }
        // These answers have no session in their header.
        return SupabaseReply.json(.object(try members(session, person)))
    }

    private func check(
        code: String, _ factor: SupabaseFactor, _ challenge: SupabaseChallenge
    ) throws(SupabaseFailure) {
        let expected =
            factor.kind == .totp
            ? [-30.0, 0, 30].compactMap { DevServer.TOTP.code(secret: factor.secret, at: wall + $0) }
            : [challenge.code].compactMap(\.self)
        guard expected.contains(where: { constantTimeEqual(Array($0.utf8), Array(code.utf8)) }) else {
            let kind = factor.kind == .totp ? "TOTP" : "MFA Phone"
            throw SupabaseFailure(422, .mfaVerificationFailed, "Invalid \(kind) code entered")
        }
    }

    /// Marks a factor as verified, and drops the unverified ones of its kind.
    private mutating func verified(_ factor: SupabaseFactor, of person: SupabasePerson) -> SupabasePerson {
        var person = person
        person.factors.removeAll { $0.id != factor.id && $0.kind == factor.kind && !$0.isVerified }
        for index in person.factors.indices where person.factors[index].id == factor.id {
            person.factors[index].isVerified = true
            person.factors[index].credential = factor.credential
            person.factors[index].lastAnswer = factor.lastAnswer
            person.factors[index].updatedAt = now
        }
        store(person)
        return people[person.id] ?? person
    }

    /// Raises the session's level. The counter grows by two, and the time of the last refresh stays.
    private mutating func raise(_ session: SupabaseSession, by factor: SupabaseFactor) -> SupabaseSession {
        var session = session
        session.methods.removeAll { $0.factor == factor.id }
        let name = factor.kind == .totp ? "totp" : "mfa/\(factor.kind.rawValue)"
        session.methods.append(SupabaseMethod(name: name, at: wall, factor: factor.id))
        switch session.generation {
        case .v1:
            if let old = session.current { oldTokens[old]?.revokedAt = now }
            session.current = newOldToken(of: session.id, parent: session.current)
        case .v2: session.counter += 2
        }
        sessions[session.id] = session
        return session
    }
}
