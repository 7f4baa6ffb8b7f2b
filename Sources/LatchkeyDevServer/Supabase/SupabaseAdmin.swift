import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// What the secret key opens: users, invitations, links and factors. The key stands in `apikey`, or as a bearer.
    mutating func admin(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        if !isService(call) {
            _ = try claims(ofAccessToken: try call.bearer())
            throw SupabaseFailure(403, .notAdmin, "User not allowed")
        }
        let path = call.path.first == "admin" ? Array(call.path.dropFirst()) : call.path
        switch (call.method, path.first, path.count) {
        case ("POST", "invite", 1): return try invite(call)
        case ("POST", "generate_link", 1): return try generateLink(call)
        case ("GET", "users", 1): return listUsers(call)
        case ("POST", "users", 1): return try createUser(call)
        case (_, "users", 2...): return try user(call, Array(path.dropFirst()))
        default: return SupabaseReply.notFound
        }
    }

    private mutating func user(_ call: SupabaseCall, _ path: [String]) throws(SupabaseFailure) -> ServerResponse {
        guard UUIDText.isValid(path[0]) else { throw .validation("user_id must be an UUID", status: 404) }
        guard var person = people[path[0]], person.deletedAt == nil else {
            throw SupabaseFailure(404, .userNotFound, "User not found")
        }
        switch (call.method, path.dropFirst()) {
        case ("GET", []): break
        case ("PUT", []): try update(&person, call.body())
        case ("DELETE", []):
            let isSoft =
                try call.request.body.isEmpty ? false : call.body().bool(SupabaseWire.shouldSoftDelete) ?? false
            delete(person, isSoft: isSoft)
            return SupabaseReply.json([:])
        case ("GET", ["factors"]): return SupabaseReply.json(.array(person.factors.map(json)))
        case ("DELETE", let rest) where rest.count == 2 && rest.first == "factors":
            guard let id = rest.last, let factor = person.factors.first(where: { $0.id == id }) else {
                throw SupabaseFailure(404, .mfaFactorNotFound, "Factor not found")
            }
            remove(factor: id, of: person)
            return SupabaseReply.json(json(factor))
        default: return SupabaseReply.notFound
        }
        return SupabaseReply.json(json(people[person.id] ?? person))
    }

    private func listUsers(_ call: SupabaseCall) -> ServerResponse {
        let page = max(1, call.query("page").flatMap { Int($0) } ?? 1)
        let size = min(1_000, max(1, call.query("per_page").flatMap { Int($0) } ?? 50))
        let everybody = people.all.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        let shown = everybody.dropFirst((page - 1).multipliedReportingOverflow(by: size).partialValue).prefix(size)
        var response = SupabaseReply.json(["users": .array(shown.map { json($0) }), "aud": "authenticated"])
        response.set("X-Total-Count", String(everybody.count))
        let last = max(1, (everybody.count + size - 1) / size)
        func link(_ page: Int, _ name: String) -> String {
            "<\(base)/admin/users?page=\(page)&per_page=\(size)>; rel=\"\(name)\""
        }
        response.set(
            "Link", ((page < last ? [link(page + 1, "next")] : []) + [link(last, "last")]).joined(separator: ", "))
        return response
    }

    private mutating func createUser(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        let body = try call.body()
        let (email, phone) = (try body.string(SupabaseWire.email), try body.string(SupabaseWire.phone))
        var person: SupabasePerson
        if let email {
            let email = try Self.checkedEmail(email)
            guard self.person(email: email) == nil else { throw Self.emailTaken }
            person = newPerson(email: email, data: [:])
        } else if let phone {
            let number = try Self.checkedPhone(phone)
            guard self.person(phone: number) == nil else { throw Self.phoneTaken }
            person = newPerson(phone: number, data: [:])
        } else {
            throw .validation("Cannot create a user without either an email or phone")
        }
        person.userMetadata = [:]
        try update(&person, body)
        return SupabaseReply.json(json(people[person.id] ?? person))
    }

    private static var emailTaken: SupabaseFailure {
        SupabaseFailure(422, .emailExists, "A user with this email address has already been registered")
    }
    private static var phoneTaken: SupabaseFailure {
        SupabaseFailure(422, .phoneExists, "Phone number already registered by another user")
    }

    /// Changes what an administrator may: everything, without asking anybody.
    private mutating func update(_ person: inout SupabasePerson, _ body: SupabaseBody) throws(SupabaseFailure) {
        let banned = try body.string(SupabaseWire.banDuration)
        if let email = try body.string(SupabaseWire.email).map({ $0.lowercased() }), email != person.email {
            guard self.person(email: try Self.checkedEmail(email)) == nil else { throw Self.emailTaken }
            if emails[person.email] == person.id { emails[person.email] = nil }
            person.email = email
            if let index = person.identities.firstIndex(where: { $0.provider == "email" }) {
                person.identities[index].data[SupabaseWire.email] = .string(email)
            } else {
                attachIdentity("email", to: &person)
            }
        }
        if let phone = try body.string(SupabaseWire.phone) {
            let number = try Self.checkedPhone(phone)
            if number != person.phone {
                guard self.person(phone: number) == nil else { throw Self.phoneTaken }
                if phones[person.phone] == person.id { phones[person.phone] = nil }
                person.phone = number
            }
        }
        if let password = try body.string(SupabaseWire.password) {
            try check(password: password)
            person.password = digest(password)
        }
        if try body.bool(SupabaseWire.emailConfirm) ?? false { confirmEmail(&person, identity: false) }
        if try body.bool(SupabaseWire.phoneConfirm) ?? false {
            person.phoneConfirmedAt = person.phoneConfirmedAt ?? now
        }
        if let data = try body.object(SupabaseWire.userMetadata) { Self.merge(data, into: &person.userMetadata) }
        if let data = try body.object(SupabaseWire.appMetadata) { Self.merge(data, into: &person.appMetadata) }
        if let banned { person.bannedUntil = try Self.seconds(banned).map { now + $0 } }
        store(person)
    }

    /// A duration as `24h` or `1h30m`, `nil` for `none`.
    private static func seconds(_ text: String) throws(SupabaseFailure) -> Double? {
        guard text != "none" else { return nil }
        let units: [Character: Double] = ["h": 3600, "m": 60, "s": 1]
        var (total, digits) = (0.0, "")
        for letter in text {
            if letter.isASCII, letter.isNumber || letter == "." {
                digits.append(letter)
            } else if let unit = units[letter], let number = Double(digits) {
                total += number * unit
                digits = ""
            } else {
                throw .validation("invalid format for ban duration")
            }
        }
        guard digits.isEmpty, total > 0, total < 1e12 else { throw .validation("invalid format for ban duration") }
        return total
    }

    /// Forgets somebody, or only makes the account unusable.
    private mutating func delete(_ person: SupabasePerson, isSoft: Bool) {
        endSessions(of: person.id)
        for kind in SupabaseOneTime.Kind.allCases { void(kind, of: person.id) }
        emails[person.email] = nil
        phones[person.phone] = nil
        for passkey in person.passkeys { credentialOwners[passkey.credential.id] = nil }
        for identity in person.identities { owners["\(identity.provider)/\(identity.subject)"] = nil }
        guard isSoft else {
            people[person.id] = nil
            return
        }
        var ghost = SupabasePerson(now: person.createdAt)
        (ghost.id, ghost.deletedAt, ghost.updatedAt) = (person.id, now, now)
        people[person.id] = ghost
    }

    private mutating func invite(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        let body = try call.body()
        guard let email = try body.string(SupabaseWire.email) else { throw .validation("An email is required") }
        var person = try invited(try Self.checkedEmail(email), try body.object(SupabaseWire.data) ?? [:])
        try send(
            .confirmation, SupabaseMail(type: "invite", to: person.email), to: &person, call, flow: nil, isFree: true)
        person.confirmationSentAt = nil
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

    /// Makes a link instead of sending it.
    private mutating func generateLink(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        let body = try call.body()
        guard let type = try body.string(SupabaseWire.type), let email = try body.string(SupabaseWire.email) else {
            throw .validation("A type and an email are required")
        }
        let address = try Self.checkedEmail(email)
        let known = self.person(email: address)
        var person: SupabasePerson
        let kind: SupabaseOneTime.Kind
        var mail = SupabaseMail(type: type, to: address)
        switch type {
        case "signup":
            guard known?.emailConfirmedAt == nil else { throw Self.emailTaken }
            let password = try body.string(SupabaseWire.password) ?? ""
            try check(password: password)
            let data = try body.object(SupabaseWire.data) ?? [:]
            person = known ?? newPerson(email: address, data: data)
            person.password = digest(password)
            kind = .confirmation
        case "invite":
            person = try invited(address, try body.object(SupabaseWire.data) ?? [:])
            kind = .confirmation
        case "magiclink", "recovery", "email_change_current", "email_change_new":
            guard let found = known else { throw SupabaseFailure(404, .userNotFound, "User with this email not found") }
            person = found
            kind = type.hasSuffix("current") ? .emailChangeOld : type.hasSuffix("new") ? .emailChangeNew : .recovery
            if type.hasPrefix("email_change") {
                guard let new = try body.string(SupabaseWire.newEmail) else {
                    throw .validation("A new email is required")
                }
                person.newEmail = try Self.checkedEmail(new)
                mail = SupabaseMail(type: "email_change", to: kind == .emailChangeNew ? new.lowercased() : address)
            }
        default: throw .validation("Invalid email action link type requested: \(type)")
        }
        let kept = inbox
        try send(kind, mail, to: &person, call, flow: nil, isFree: true)
        store(person)
        guard let sent = inbox.latest.last, case .object(var members) = json(people[person.id] ?? person) else {
            throw .unexpected
        }
        inbox = kept
        members["action_link"] = sent.link.map(JSON.string)
        members["email_otp"] = .string(sent.code)
        members["hashed_token"] = sent.tokenHash.map(JSON.string)
        members["verification_type"] = .string(type)
        members["redirect_to"] = .string(redirect(call))
        return SupabaseReply.json(.object(members))
    }
}
