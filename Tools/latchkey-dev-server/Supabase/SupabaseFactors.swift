import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// Enrols, challenges, verifies and removes second factors.
    mutating func factors(_ call: SupabaseCall, note: inout Note) throws(SupabaseFailure) -> ServerResponse {
        let caller = try caller(call)
        guard !caller.person.isAnonymous else {
            throw SupabaseFailure(403, .noAuthorization, "Anonymous user not allowed to perform these actions")
        }
        if call.path.count == 1, call.method == "POST" { return try enroll(call, caller) }
        guard call.path.count > 1 else { return Self.wrongMethod }
        guard UUIDText.isValid(call.path[1]) else { throw .validation("factor_id must be an UUID", status: 404) }
        guard let factor = caller.person.factors.first(where: { $0.id == call.path[1] }), !isStale(factor) else {
            throw SupabaseFailure(404, .mfaFactorNotFound, "Factor not found")
        }
        switch (call.method, call.path.dropFirst(2)) {
        case ("DELETE", []): return try unenroll(factor, caller)
        case ("POST", ["challenge"]): return try challenge(call, factor, caller)
        case ("POST", ["verify"]): return try verify(call, factor, caller, note: &note)
        default: return SupabaseReply.notFound
        }
    }

    private static var wrongMethod: ServerResponse { ServerResponse(status: 405, fields: [("Vary", "Origin")]) }

    /// Whether an unverified factor has waited too long.
    private func isStale(_ factor: SupabaseFactor) -> Bool {
        !factor.isVerified && now >= factor.createdAt + settings.challengeLifetime
    }

    private mutating func enroll(
        _ call: SupabaseCall, _ caller: SupabaseCaller
    ) throws(SupabaseFailure) -> ServerResponse {
        let body = try call.body()
        var person = caller.person
        let type = try body.string(SupabaseWire.factorType)
        let name = try body.string(SupabaseWire.friendlyName) ?? ""
        guard let kind = type.flatMap(SupabaseFactor.Kind.init) else {
            throw .validation("factor_type needs to be totp, phone, or webauthn")
        }
        person.factors.removeAll { isStale($0) }
        var factor = SupabaseFactor(kind, name: name, now: now)
        var members: [String: JSON] = [
            "id": .string(factor.id), "type": .string(kind.rawValue), "friendly_name": .string(name),
        ]
        switch kind {
        case .totp:
            guard settings.allowsTOTP else {
                throw SupabaseFailure(422, .mfaTOTPEnrollDisabled, "MFA enroll is disabled for TOTP")
            }
            try checkEnrolment(of: person, named: name, level: caller.level)
            factor.secret = Base32.encode(SecureRandom.bytes(20))
            let issuer = try body.string(SupabaseWire.issuer) ?? "localhost:3000"
            members["totp"] = Self.sheet(secret: factor.secret, issuer: issuer, account: person.email)
        case .phone:
            guard settings.allowsPhoneFactors else {
                throw SupabaseFailure(422, .mfaPhoneEnrollDisabled, "MFA enroll is disabled for Phone")
            }
            let number = try Self.checkedPhone(try body.string(SupabaseWire.phone) ?? "")
            guard !person.factors.contains(where: { $0.isVerified && $0.phone == "+\(number)" }) else {
                throw SupabaseFailure(
                    422, .mfaVerifiedFactorExists,
                    "A verified phone factor already exists, unenroll the existing factor to continue")
            }
            person.factors.removeAll { $0.phone == "+\(number)" }
            try checkEnrolment(of: person, named: name, level: caller.level)
            factor.phone = "+\(number)"
            members["phone"] = .string(factor.phone)
        case .webauthn:
            guard settings.allowsWebAuthnFactors else {
                throw SupabaseFailure(422, .mfaWebAuthnEnrollDisabled, "MFA enroll is disabled for WebAuthn")
            }
            try checkEnrolment(of: person, named: name, level: caller.level)
        }
        person.factors.append(factor)
        store(person)
        return SupabaseReply.json(.object(members))
    }

    /// Throws for a name that is taken, too many factors, or a session without the second factor that there is. No
    /// name is a name too: the service compares the empty text (`validateFactors` in `internal/api/mfa.go`).
    private func checkEnrolment(
        of person: SupabasePerson, named name: String, level: String
    ) throws(SupabaseFailure) {
        guard !person.factors.contains(where: { $0.name == name }) else {
            throw SupabaseFailure(
                422, .mfaFactorNameConflict,
                "A factor with the friendly name \"\(name)\" for this user already exists")
        }
        guard person.factors.count < settings.factorLimit else {
            throw SupabaseFailure(
                422, .tooManyFactors, "Maximum number of verified factors reached, unenroll to continue")
        }
        if person.hasVerifiedFactor, level == "aal1" {
            throw SupabaseFailure(403, .insufficientAAL, "AAL2 required to enroll a new factor")
        }
    }

    /// Returns what an authenticator app reads. The picture has the size of the service's, but contains no code.
    private static func sheet(secret: String, issuer: String, account: String) -> JSON {
        func escaped(_ text: String) -> String {
            FormPairs.encode(text).split(separator: "+", omittingEmptySubsequences: false).joined(separator: "%20")
                .split(separator: "%40", omittingEmptySubsequences: false).joined(separator: "@")
        }
        let uri =
            "otpauth://totp/\(escaped(issuer)):\(escaped(account))?algorithm=SHA1&digits=6&issuer=\(escaped(issuer))"
            + "&period=30&secret=\(secret)"
        let module = "<rect x=\"12\" y=\"12\" width=\"3\" height=\"3\" style=\"fill:black;stroke:none\" />\n"
        let picture =
            "<?xml version=\"1.0\"?>\n<svg width=\"219\" height=\"219\"\n     xmlns=\"http://www.w3.org/2000/svg\">\n"
            + String(repeating: module, count: 4_000) + "</svg>\n"
        return ["qr_code": .string(picture), "secret": .string(secret), "uri": .string(uri)]
    }

    private mutating func challenge(
        _ call: SupabaseCall, _ factor: SupabaseFactor, _ caller: SupabaseCaller
    ) throws(SupabaseFailure) -> ServerResponse {
        try limit(.challenge, call)
        var (person, challenge) = (
            caller.person, SupabaseChallenge(factor: factor.id, expires: now + settings.challengeLifetime)
        )
        if factor.kind == .phone {
            let channel = try channel(try call.body())
            if let sent = factor.challengedAt, now < sent + settings.resendGap {
                throw SupabaseFailure(
                    429, .overSMSSendRateLimit,
                    "For security purposes, you can only request this after \(Int(sent + settings.resendGap - now)) seconds."
                )
            }
            guard settings.sendsMessages else {
                throw SupabaseFailure(500, .unexpectedFailure, "error sending message")
            }
            let code = Self.sixDigits()
            challenge.code = code
            inbox.add(
                DevServer.SupabaseMessage(
                    sequence: 0, to: String(factor.phone.dropFirst()), channel: channel, type: "factor", code: code,
                    sentAt: wall))
        }
        var question: JSON?
        if factor.kind == .webauthn {
            let (request, wire) = try webAuthnQuestion(try call.body(), factor, person)
            (challenge.request, question) = (request, wire)
        }
        let id = UUIDText.make()
        challenges[id] = challenge
        for index in person.factors.indices where person.factors[index].id == factor.id {
            person.factors[index].challengedAt = now
        }
        store(person)
        var members: [String: JSON] = [
            "id": .string(id), "type": .string(factor.kind.rawValue),
            "expires_at": .integer(Int64(challenge.expires + wall - now)),
        ]
        members["webauthn"] = question
        return SupabaseReply.json(.object(members))
    }

    /// Removes a factor. For a verified one the session must have shown a second factor. Sessions forget what it
    /// proved.
    private mutating func unenroll(
        _ factor: SupabaseFactor, _ caller: SupabaseCaller
    ) throws(SupabaseFailure) -> ServerResponse {
        if factor.isVerified, caller.level == "aal1" {
            throw SupabaseFailure(422, .insufficientAAL, "AAL2 required to unenroll verified factor")
        }
        remove(factor: factor.id, of: caller.person)
        return SupabaseReply.json(["id": .string(factor.id)])
    }

    mutating func remove(factor: String, of person: SupabasePerson) {
        var person = person
        person.factors.removeAll { $0.id == factor }
        store(person)
        for session in sessions(of: person.id) {
            sessions[session.id]?.methods.removeAll { $0.factor == factor }
        }
    }
}
