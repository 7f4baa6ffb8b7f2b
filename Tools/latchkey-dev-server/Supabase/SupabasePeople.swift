import LatchkeyJSON

extension SupabaseState {
    /// Creates a person with an unconfirmed email identity.
    func newPerson(email: String, data: [String: JSON]) -> SupabasePerson {
        var person = SupabasePerson(now: now)
        person.email = email
        attachIdentity("email", to: &person, data: data)
        person.userMetadata = person.identities[0].data
        return person
    }

    /// Creates a person with an unconfirmed phone identity.
    func newPerson(phone: String, data: [String: JSON]) -> SupabasePerson {
        var person = SupabasePerson(now: now)
        person.phone = phone
        attachIdentity("phone", to: &person, data: data)
        person.userMetadata = person.identities[0].data
        return person
    }

    /// Adds the identity for an address or a number.
    func attachIdentity(_ provider: String, to person: inout SupabasePerson, data: [String: JSON] = [:]) {
        var members = data
        members[SupabaseWire.sub] = .string(person.id)
        members[SupabaseWire.emailVerified] = .bool(false)
        members[SupabaseWire.phoneVerified] = .bool(false)
        if provider == "email" { members[SupabaseWire.email] = .string(person.email) }
        person.identities.append(SupabaseIdentity(provider, subject: person.id, data: members, now: now))
        person.listProviders()
    }

    /// Confirms the person's address. With `identity`, for a code or a link, confirms the identity too.
    func confirmEmail(_ person: inout SupabasePerson, identity: Bool) {
        if person.emailConfirmedAt == nil { person.emailConfirmedAt = now }
        person.userMetadata[SupabaseWire.emailVerified] = .bool(true)
        person.isAnonymous = false
        guard identity, let index = person.identities.firstIndex(where: { $0.provider == "email" }) else { return }
        person.identities[index].data[SupabaseWire.emailVerified] = .bool(true)
    }

    /// Merges a program's data key by key; `null` removes a key.
    static func merge(_ data: [String: JSON], into metadata: inout [String: JSON]) {
        for (name, value) in data where value != .null { metadata[name] = value }
        for (name, value) in data where value == .null { metadata.removeValue(forKey: name) }
    }

    /// Returns the address, or throws if the text does not look like one: what HTML takes in a field for addresses,
    /// which is ASCII alone and needs no dot (`ValidateFormat` of badoux/checkmail, which the service asks).
    static func checkedEmail(_ text: String) throws(SupabaseFailure) -> String {
        let text = text.lowercased()
        let format =
            /[a-z0-9.!#$%&'*+\/=?^_`{|}~-]+@[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*/
        guard text.utf8.count <= 255, text.utf8.allSatisfy({ $0 < 0x80 }), text.wholeMatch(of: format) != nil else {
            throw .validation("Unable to validate email address: invalid format")
        }
        return text
    }

    /// Returns the digits of a phone number.
    static func checkedPhone(_ text: String) throws(SupabaseFailure) -> String {
        let digits = text.filter { $0 != "+" && $0 != " " && $0 != "-" }
        guard digits.wholeMatch(of: /[1-9]\d{6,14}/) != nil else {
            throw .validation("Invalid phone number format (E.164 required)")
        }
        return digits
    }

    /// Throws for a weak or overlong password.
    func check(password: String) throws(SupabaseFailure) {
        guard password.utf8.count <= 72 else { throw .validation("Password cannot be longer than 72 characters") }
        let weakness = weakness(of: password)
        guard weakness.reasons.isEmpty else { throw .weak(weakness.message, weakness.reasons) }
    }

    /// Returns what makes a password weak.
    func weakness(of password: String) -> (message: String, reasons: [String]) {
        var (messages, reasons): ([String], [String]) = ([], [])
        if password.count < settings.passwordLength {
            messages.append("Password should be at least \(settings.passwordLength) characters.")
            reasons.append("length")
        }
        let isMixed = password.contains { $0.isLetter } && password.contains { $0.isNumber }
        if settings.passwordNeedsLettersAndDigits, !isMixed {
            messages.append("Password should contain at least one letter and one digit.")
            reasons.append("characters")
        }
        return (messages.joined(separator: " "), reasons)
    }
}
