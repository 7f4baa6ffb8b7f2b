import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// A passkey for sign-in.
struct SupabasePasskey: Sendable {
    var id = UUIDText.make()
    var name = "Passkey"
    var credential: SupabaseCredential
    var createdAt: Double
    var usedAt: Double?
}

/// The challenge for a passkey.
struct SupabasePasskeyChallenge: Sendable {
    var request: WebAuthnRequest
    /// The user who registers it; `nil` for a sign-in.
    var user: String?
    var expires: Double
}

extension SupabaseState {
    /// Registers passkeys and signs in with them, as the first factor.
    mutating func passkeys(_ call: SupabaseCall, note: inout Note) throws(SupabaseFailure) -> ServerResponse {
        guard settings.allowsPasskeys else { throw SupabaseFailure(404, .passkeyDisabled, "Passkeys are disabled") }
        switch (call.method, Array(call.path.dropFirst())) {
        case ("POST", ["authentication", "options"]): return try askForPasskey(call)
        case ("POST", ["authentication", "verify"]): return try signIn(withPasskey: call, note: &note)
        case ("POST", ["registration", "options"]): return try offerPasskey(call)
        case ("POST", ["registration", "verify"]): return try register(call)
        case ("GET", []):
            let person = try caller(call).person
            return SupabaseReply.json(.array(person.passkeys.map(json)))
        case (let method, let rest) where rest.count == 1 && (method == "PATCH" || method == "DELETE"):
            return try change(call, id: rest[0])
        default: return SupabaseReply.notFound
        }
    }

    private mutating func challenge(for user: String?) -> (id: String, challenge: SupabasePasskeyChallenge) {
        let request = WebAuthnRequest(
            challenge: WebAuthnOptions.challenge(), relyingParty: settings.relyingParty, origins: settings.origins)
        let challenge = SupabasePasskeyChallenge(
            request: request, user: user, expires: now + settings.challengeLifetime)
        let id = UUIDText.make()
        passkeyChallenges[id] = challenge
        return (id, challenge)
    }

    private func answer(_ id: String, _ challenge: SupabasePasskeyChallenge, _ options: [String: JSON])
        -> ServerResponse
    {
        SupabaseReply.json([
            "challenge_id": .string(id), "options": .object(options),
            "expires_at": .integer(Int64(challenge.expires + wall - now)),
        ])
    }

    private mutating func askForPasskey(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        try limit(.passkey, call)
        if settings.captchaToken != nil { _ = try captchaBody(call) }
        let (id, challenge) = challenge(for: nil)
        var options = WebAuthnOptions.request(challenge.request, allowed: [])
        options["userVerification"] = "preferred"
        return answer(id, challenge, options)
    }

    private mutating func offerPasskey(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        let person = try owner(call)
        guard person.passkeys.count < settings.factorLimit else {
            throw SupabaseFailure(422, .tooManyPasskeys, "Maximum number of passkeys reached")
        }
        let (id, challenge) = challenge(for: person.id)
        var options = WebAuthnOptions.creation(
            challenge.request, name: settings.relyingPartyName, for: person,
            excluded: person.passkeys.map(\.credential),
            selection: ["residentKey": "required", "userVerification": "preferred"])
        options["attestation"] = "none"
        return answer(id, challenge, options)
    }

    /// Returns the person, who must be allowed to have passkeys.
    private func owner(_ call: SupabaseCall) throws(SupabaseFailure) -> SupabasePerson {
        let caller = try caller(call)
        guard !caller.person.isAnonymous else {
            throw SupabaseFailure(403, .noAuthorization, "Anonymous user not allowed to perform these actions")
        }
        if caller.person.hasVerifiedFactor, caller.level == "aal1" {
            throw SupabaseFailure(403, .insufficientAAL, "AAL2 required to register a passkey")
        }
        return caller.person
    }

    /// Uses up a challenge, even if the answer is wrong.
    private mutating func take(
        _ body: SupabaseBody, for user: String?
    ) throws(SupabaseFailure) -> (request: WebAuthnRequest, answer: JSON) {
        guard let id = try body.string(SupabaseWire.challengeID), let answer = body.members["credential"] else {
            throw .validation("challenge_id and credential are required")
        }
        guard let challenge = passkeyChallenges[id], challenge.user == user else {
            throw SupabaseFailure(400, .webauthnChallengeNotFound, "Challenge not found")
        }
        passkeyChallenges[id] = nil
        guard now < challenge.expires else {
            throw SupabaseFailure(400, .webauthnChallengeExpired, "Challenge has expired")
        }
        return (challenge.request, answer)
    }

    private static var unproven: SupabaseFailure {
        SupabaseFailure(400, .webauthnVerificationFailed, "Credential verification failed")
    }

    private mutating func register(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        var person = try owner(call)
        let (request, answer) = try take(try call.body(), for: person.id)
        guard let credential = try? WebAuthnCheck.created(answer, for: request) else { throw Self.unproven }
        // The service has a code for this, but does not use it.
        guard credentialOwners[credential.id] == nil else {
            throw SupabaseFailure(500, .unexpectedFailure, "Database error saving credential")
        }
        let passkey = SupabasePasskey(credential: credential, createdAt: now)
        person.passkeys.append(passkey)
        credentialOwners[credential.id] = person.id
        store(person)
        return SupabaseReply.json(json(passkey))
    }

    private mutating func signIn(
        withPasskey call: SupabaseCall, note: inout Note
    ) throws(SupabaseFailure) -> ServerResponse {
        let (request, answer) = try take(try call.body(), for: nil)
        guard let id = try? WebAuthnCheck.credential(of: answer),
            var person = credentialOwners[id].flatMap({ people[$0] }),
            let index = person.passkeys.firstIndex(where: { $0.credential.id == id }),
            let count = try? WebAuthnCheck.signed(answer, for: request, by: person.passkeys[index].credential)
        else { throw Self.unproven }
        guard !person.isBanned(now) else { throw SupabaseFailure(403, .userBanned, "User is banned") }
        if !person.email.isEmpty, person.emailConfirmedAt == nil {
            throw SupabaseFailure(403, .emailNotConfirmed, "Email not confirmed")
        }
        person.passkeys[index].credential.count = count
        person.passkeys[index].usedAt = now
        let session = begin(for: &person, by: "passkey", agent: call.request.field("User-Agent"))
        note.family = session.serial
        return try self.answer(session, people[person.id] ?? person)
    }

    private mutating func change(_ call: SupabaseCall, id: String) throws(SupabaseFailure) -> ServerResponse {
        var person = try caller(call).person
        guard UUIDText.isValid(id) else { throw .validation("passkey_id must be an UUID", status: 404) }
        guard let index = person.passkeys.firstIndex(where: { $0.id == id }) else {
            throw .validation("Passkey not found", status: 404)
        }
        guard call.method == "PATCH" else {
            credentialOwners[person.passkeys[index].credential.id] = nil
            person.passkeys.remove(at: index)
            store(person)
            return SupabaseReply.nothing
        }
        guard let name = try call.body().string(SupabaseWire.friendlyName), name.utf8.count <= 120 else {
            throw .validation("friendly_name must be between 1 and 120 characters")
        }
        person.passkeys[index].name = name
        store(person)
        return SupabaseReply.json(json(person.passkeys[index]))
    }

    private func json(_ passkey: SupabasePasskey) -> JSON {
        var members: [String: JSON] = [
            "id": .string(passkey.id), "friendly_name": .string(passkey.name),
            "created_at": timestamp(passkey.createdAt),
        ]
        members["last_used_at"] = passkey.usedAt.map(timestamp)
        return .object(members)
    }
}
