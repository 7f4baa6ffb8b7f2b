import LatchkeyHTTPServer
import LatchkeyJSON

/// Invitations, and links that an administrator sends by other means.
extension SupabaseState {
    mutating func invite(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        let body = try call.body()
        guard let email = try body.string(SupabaseWire.email) else { throw .validation("An email is required") }
        var person = try invited(try Self.checkedEmail(email), try body.object(SupabaseWire.data) ?? [:])
        try send(
            .confirmation, SupabaseMail(type: "invite", to: person.email), to: &person, call, flow: nil, isFree: true)
        store(person)
        return SupabaseReply.json(json(people[person.id] ?? person))
    }

    private func invited(_ email: String, _ data: [String: JSON]) throws(SupabaseFailure) -> SupabasePerson {
        let known = person(email: email)
        guard known?.emailConfirmedAt == nil else { throw Self.emailTaken }
        var person = known ?? newPerson(email: email, data: [:])
        if known == nil { person.userMetadata = data }
        person.invitedAt = now
        return person
    }

    /// Returns a link instead of sending it.
    mutating func generateLink(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        let body = try call.body()
        guard let email = try body.string(SupabaseWire.email) else { throw .validation("An email is required") }
        let address = try Self.checkedEmail(email)
        let known = person(email: address)
        var type = try body.string(SupabaseWire.type) ?? ""
        // A magic link for an unknown address creates the account.
        let isNew = known == nil && type == "magiclink"
        if isNew { type = "signup" }
        var mail = SupabaseMail(type: type, to: address)
        var person: SupabasePerson
        let kind: SupabaseOneTime.Kind
        switch type {
        case "signup":
            person = try signingUp(known, address, body, withoutPassword: isNew)
            kind = .confirmation
        case "invite":
            person = try invited(address, try body.object(SupabaseWire.data) ?? [:])
            kind = .confirmation
        case "magiclink", "recovery", "email_change_current", "email_change_new":
            guard let known else { throw SupabaseFailure(404, .userNotFound, "User with this email not found") }
            person = known
            kind = type.hasSuffix("current") ? .emailChangeOld : type.hasSuffix("new") ? .emailChangeNew : .recovery
            if type.hasPrefix("email_change") { mail = try changing(&person, kind, body) }
        default: throw .validation("Invalid email action link type requested: \(type)")
        }
        let kept = inbox
        try send(kind, mail, to: &person, call, flow: nil, isFree: true)
        store(person)
        guard let sent = inbox.latest.last, let hash = sent.tokenHash,
            case .object(var members) = json(people[person.id] ?? person)
        else { throw .unexpected }
        inbox = kept
        let asked = try body.string(SupabaseWire.redirectTo)
        let place = asked.flatMap { isAllowed(redirect: $0) ? $0 : nil } ?? redirect(call)
        members["action_link"] = .string(link(hash, type: mail.type, redirect: place))
        members["email_otp"] = .string(sent.code)
        members["hashed_token"] = .string(hash)
        members["verification_type"] = .string(type)
        members["redirect_to"] = .string(place)
        return SupabaseReply.json(.object(members))
    }

    private func signingUp(
        _ known: SupabasePerson?, _ address: String, _ body: SupabaseBody, withoutPassword: Bool
    ) throws(SupabaseFailure) -> SupabasePerson {
        let data = try body.object(SupabaseWire.data) ?? [:]
        if var known {
            guard known.emailConfirmedAt == nil else { throw Self.emailTaken }
            Self.merge(data, into: &known.userMetadata)
            return known
        }
        var person = newPerson(email: address, data: data)
        guard !withoutPassword else { return person }
        guard let password = try body.string(SupabaseWire.password) else {
            throw .validation("Signup requires a valid password")
        }
        try check(password: password)
        person.password = digest(password)
        return person
    }

    private func changing(
        _ person: inout SupabasePerson, _ kind: SupabaseOneTime.Kind, _ body: SupabaseBody
    ) throws(SupabaseFailure) -> SupabaseMail {
        guard kind == .emailChangeNew || settings.needsBothAddresses else {
            throw .validation("Enable secure email change to generate link for current email")
        }
        guard let new = try body.string(SupabaseWire.newEmail) else { throw .validation("A new email is required") }
        let address = try Self.checkedEmail(new)
        if let other = self.person(email: address), other.id != person.id { throw Self.emailTaken }
        person.newEmail = address
        person.confirmedHalf = nil
        return SupabaseMail(type: "email_change", to: kind == .emailChangeNew ? address : person.email)
    }
}
