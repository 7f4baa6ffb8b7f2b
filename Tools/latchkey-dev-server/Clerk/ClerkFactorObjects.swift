import LatchkeyJSON

/// The factors that a person can use, in JSON.
extension ClerkState {
    static let companyConnection = "ent_company"

    /// Returns the first factors, for a sign-in that began with `identifier`.
    func firstFactors(_ person: ClerkPerson, as identifier: String = "") -> [JSON] {
        var strategies: [String] = person.password != nil && settings.hasPasswords ? ["password"] : []
        if person.passkeys.values.contains(where: { $0.challenge == nil }) { strategies.append("passkey") }
        if let email = person.email {
            if hasCompany(email) { strategies.append("enterprise_sso") }
            if settings.has(.ssoOnly) {
                if !hasCompany(email) { strategies += settings.connections.sorted() }
            } else {
                strategies += settings.has(.emailLink) ? ["email_link"] : ["email_code", "email_link"]
                if settings.hasPasswords { strategies.append("reset_password_email_code") }
            }
        }
        if person.phone != nil, !settings.has(.ssoOnly) { strategies.append("phone_code") }
        return strategies.map { factor($0, person, as: identifier) }
    }

    /// Returns the strategies of the second factor, or of the proof that a new client needs.
    func secondFactors(of person: ClerkPerson, isTrust: Bool = false) -> [String] {
        if isTrust { return [settings.mailStrategy ?? "email_code"] }
        var strategies: [String] = person.totp == nil ? [] : ["totp"]
        if !person.secondPhones.isEmpty { strategies.append("phone_code") }
        if !person.backupCodes.isEmpty { strategies.append("backup_code") }
        return strategies
    }

    func factor(_ strategy: String, _ person: ClerkPerson, as identifier: String = "") -> JSON {
        var members: [String: JSON] = ["strategy": .string(strategy)]
        func name(_ address: String?, _ masked: String) {
            members["safe_identifier"] = .string(address == identifier.lowercased() ? identifier : masked)
            members["primary"] = true
        }
        switch strategy {
        case "email_code", "email_link", "reset_password_email_code":
            let email = person.email ?? ""
            name(email, "\(email.prefix(1))**@\(email.drop { $0 != "@" }.dropFirst())")
            members["email_address_id"] = .string(person.emailID)
        case "phone_code":
            name(person.phone, "+*******\(person.phone?.suffix(4) ?? "")")
            members["phone_number_id"] = .string(person.secondPhones.sorted().first ?? person.phoneID)
            members["default"] = true
        case "enterprise_sso":
            members["enterprise_connection_id"] = .string(Self.companyConnection)
            members["enterprise_connection_name"] = "Company"
        default: break
        }
        return .object(members)
    }
}
