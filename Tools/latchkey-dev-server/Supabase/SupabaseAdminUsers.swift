import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// An administrator's changes to users, which need no confirmation.
extension SupabaseState {
    static var emailTaken: SupabaseFailure {
        SupabaseFailure(422, .emailExists, "A user with this email address has already been registered")
    }

    private static var phoneTaken: SupabaseFailure {
        SupabaseFailure(422, .phoneExists, "Phone number already registered by another user")
    }

    mutating func createUser(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        let body = try call.body()
        let email = try body.string(SupabaseWire.email).map(Self.checkedEmail)
        let phone = try body.string(SupabaseWire.phone).map(Self.checkedPhone)
        guard email != nil || phone != nil else {
            throw .validation("Cannot create a user without either an email or phone")
        }
        if let email, self.person(email: email) != nil { throw Self.emailTaken }
        if let phone, self.person(phone: phone) != nil { throw Self.phoneTaken }
        var person = SupabasePerson(now: now)
        if let id = try body.string(SupabaseWire.id) {
            guard UUIDText.isValid(id), id.contains(where: { $0 != "0" && $0 != "-" }) else {
                throw .validation("ID must conform to the uuid v4 format")
            }
            guard people[id.lowercased()] == nil else { throw .failed("Database error creating new user") }
            person.id = id.lowercased()
        }
        let (password, hash) = (try body.string(SupabaseWire.password), try body.string(SupabaseWire.passwordHash))
        guard password == nil || hash == nil else {
            throw .validation("Only a password or a password hash should be provided")
        }
        if let hash, !["$2", "$argon2", "$fbscrypt$"].contains(where: hash.hasPrefix) {
            throw .failed("Error creating user")
        }
        // The service does not check the strength here. An account that comes with a hash has no password in this
        // server.
        guard (password ?? "").utf8.count <= 72 else {
            throw .validation("bcrypt: password length exceeds 72 bytes")
        }
        person.password = password.map(digest)
        (person.email, person.phone) = (email ?? "", phone ?? "")
        if email != nil { attachIdentity("email", to: &person) }
        if phone != nil { attachIdentity("phone", to: &person) }
        let banned = try Self.ban(body, now)
        try change(&person, body)
        if let banned { person.bannedUntil = banned }
        store(person)
        return SupabaseReply.json(json(people[person.id] ?? person, confirmedAt: nil))
    }

    mutating func update(_ person: inout SupabasePerson, _ body: SupabaseBody) throws(SupabaseFailure) {
        let banned = try Self.ban(body, now)
        // An empty text is accepted as a password too.
        if body.members[SupabaseWire.password].map({ $0 != .null }) == true {
            let password = try body.string(SupabaseWire.password) ?? ""
            try check(password: password)
            person.password = digest(password)
            endSessions(of: person.id)
            for kind in SupabaseOneTime.Kind.allCases { void(kind, of: person.id) }
        }
        let confirmsEmail = try body.bool(SupabaseWire.emailConfirm) ?? false
        if let email = try body.string(SupabaseWire.email).map(Self.checkedEmail), email != person.email {
            // The service leaves the comparison to its database.
            guard self.person(email: email) == nil else { throw .failed("Error updating user") }
            if emails[person.email] == person.id { emails[person.email] = nil }
            person.email = email
            if let index = person.identities.firstIndex(where: { $0.provider == "email" }) {
                person.identities[index].data[SupabaseWire.email] = .string(email)
                person.identities[index].data[SupabaseWire.emailVerified] = .bool(confirmsEmail)
            } else {
                attachIdentity("email", to: &person)
            }
        }
        if let phone = try body.string(SupabaseWire.phone).map(Self.checkedPhone), phone != person.phone {
            guard self.person(phone: phone) == nil else { throw .failed("Error updating user") }
            if phones[person.phone] == person.id { phones[person.phone] = nil }
            person.phone = phone
            if !person.identities.contains(where: { $0.provider == "phone" }) { attachIdentity("phone", to: &person) }
        }
        try change(&person, body)
        if let banned { person.bannedUntil = banned }
        store(person)
    }

    /// Makes the changes that new and existing users have in common.
    private func change(_ person: inout SupabasePerson, _ body: SupabaseBody) throws(SupabaseFailure) {
        person.role = try body.string(SupabaseWire.role) ?? person.role
        if try body.bool(SupabaseWire.emailConfirm) ?? false { confirmEmail(&person, identity: false) }
        if try body.bool(SupabaseWire.phoneConfirm) ?? false {
            person.phoneConfirmedAt = person.phoneConfirmedAt ?? now
        }
        if let data = try body.object(SupabaseWire.userMetadata) { Self.merge(data, into: &person.userMetadata) }
        if let data = try body.object(SupabaseWire.appMetadata) { Self.merge(data, into: &person.appMetadata) }
    }

    /// Returns the end of a ban: `.some(nil)` to lift it, `nil` if the body does not mention it.
    private static func ban(_ body: SupabaseBody, _ now: Double) throws(SupabaseFailure) -> Double?? {
        guard let text = try body.string(SupabaseWire.banDuration) else { return nil }
        return .some(try seconds(text).map { now + $0 })
    }

    /// Parses a duration such as `24h` or `1h30m`; `nil` for `none`.
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
        // The service counts nanoseconds in 64 bits, which limits the seconds.
        guard digits.isEmpty, total > 0, total < 9_223_372_036 else {
            throw .validation("invalid format for ban duration")
        }
        return total
    }

    /// Deletes a user, or only makes the account unusable: then hashes stand for what named the person, and the
    /// address is free for another account (`SoftDeleteUser` in `internal/models/user.go`).
    mutating func delete(_ person: SupabasePerson, isSoft: Bool) {
        endSessions(of: person.id)
        for kind in SupabaseOneTime.Kind.allCases { void(kind, of: person.id) }
        if emails[person.email] == person.id { emails[person.email] = nil }
        if phones[person.phone] == person.id { phones[person.phone] = nil }
        for passkey in person.passkeys { credentialOwners[passkey.credential.id] = nil }
        for identity in person.identities { owners["\(identity.provider)/\(identity.subject)"] = nil }
        guard isSoft else {
            people[person.id] = nil
            return
        }
        guard person.deletedAt == nil else { return }
        var ghost = person
        func hash(_ text: String) -> String { Base64URL.encode(Checksum.sha256(Array("\(person.id)\(text)".utf8))) }
        (ghost.email, ghost.phone) = (hash(person.email), String(hash(person.phone).prefix(15)))
        ghost.newEmail = hash(person.newEmail ?? "")
        ghost.newPhone = String(hash(person.newPhone ?? "").prefix(15))
        (ghost.password, ghost.factors, ghost.passkeys) = (nil, [], [])
        (ghost.appMetadata, ghost.userMetadata, ghost.deletedAt) = ([:], [:], now)
        for index in ghost.identities.indices {
            let identity = ghost.identities[index]
            ghost.identities[index].subject = hash("\(identity.provider):\(identity.subject)")
            ghost.identities[index].data = [:]
        }
        store(ghost)
    }
}
