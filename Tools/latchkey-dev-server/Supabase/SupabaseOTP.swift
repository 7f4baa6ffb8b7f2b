import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// Sends a code to an address or number, which may be unknown.
    mutating func otp(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        let isLink = call.path.first == "magiclink"
        try limit(isLink ? .magicLink : .otp, call)
        let body = try captchaBody(call)
        let (email, phone) = (try body.string(SupabaseWire.email), try body.string(SupabaseWire.phone))
        guard !isLink || email != nil else {
            throw .validation("Password recovery requires an email", status: 422)
        }
        guard (email == nil) != (phone == nil || isLink) else {
            throw .validation("One of email or phone must be set")
        }
        let data = try body.object(SupabaseWire.data) ?? [:]
        let creates = isLink ? true : try body.bool(SupabaseWire.createUser) ?? true
        let flow = try challenge(body)
        if let email {
            guard try body.string(SupabaseWire.channel) == nil || isLink else {
                throw .validation("Channel should only be specified with Phone OTP")
            }
            return try otp(call, email: try Self.checkedEmail(email), data: data, creates: creates, flow: flow)
        }
        let number = try Self.checkedPhone(phone ?? "")
        return try otp(call, phone: number, data: data, creates: creates, channel: try channel(body))
    }

    private mutating func otp(
        _ call: SupabaseCall, email: String, data: [String: JSON], creates: Bool, flow: SupabaseChallengePair?
    ) throws(SupabaseFailure) -> ServerResponse {
        guard settings.allowsEmail else {
            throw SupabaseFailure(422, .emailProviderDisabled, "Email logins are disabled")
        }
        let known = person(email: email)
        guard known != nil || creates else { throw Self.closed }
        if known == nil, settings.disablesSignUp {
            throw SupabaseFailure(422, .signupDisabled, "Signups not allowed for this instance")
        }
        var person = known ?? newPerson(email: email, data: data)
        if known == nil, settings.autoconfirms { confirmEmail(&person, identity: false) }
        if person.emailConfirmedAt == nil {
            try send(.confirmation, SupabaseMail(type: "signup", to: email), to: &person, call, flow: flow)
        } else {
            try send(.recovery, SupabaseMail(type: "magiclink", to: email), to: &person, call, flow: flow)
        }
        store(person)
        return SupabaseReply.json([:])
    }

    private mutating func otp(
        _ call: SupabaseCall, phone: String, data: [String: JSON], creates: Bool, channel: String
    ) throws(SupabaseFailure) -> ServerResponse {
        guard settings.allowsPhone else {
            throw SupabaseFailure(400, .phoneProviderDisabled, "Unsupported phone provider")
        }
        let known = person(phone: phone)
        guard known != nil || creates else { throw Self.closed }
        var person = known ?? newPerson(phone: phone, data: data)
        let mail = SupabaseMail(type: "sms", to: phone, channel: channel)
        try send(.confirmation, mail, to: &person, call, flow: nil)
        store(person)
        return known == nil ? SupabaseReply.json([:]) : messageSent(to: phone)
    }

    private static var closed: SupabaseFailure { SupabaseFailure(422, .otpDisabled, "Signups not allowed for otp") }

    private func messageSent(to number: String) -> ServerResponse {
        let id = settings.testCodes[number] == nil ? "message-\(inbox.latest.last?.sequence ?? 0)" : "test-otp"
        return SupabaseReply.json([SupabaseWire.messageID: .string(id)])
    }

    /// Sends a link for setting a new password. The answer does not reveal whether the address is known.
    mutating func recover(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        try limit(.recover, call)
        let body = try captchaBody(call)
        guard let email = try body.string(SupabaseWire.email) else {
            throw .validation("Password recovery requires an email")
        }
        let flow = try challenge(body)
        guard var person = person(email: try Self.checkedEmail(email)) else { return SupabaseReply.json([:]) }
        try send(.recovery, SupabaseMail(type: "recovery", to: person.email), to: &person, call, flow: flow)
        store(person)
        return SupabaseReply.json([:])
    }

    /// Sends the last message again. The answer does not reveal whether there was one.
    mutating func resend(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        try limit(.resend, call)
        let body = try captchaBody(call)
        let (email, phone) = (try body.string(SupabaseWire.email), try body.string(SupabaseWire.phone))
        let flow = try challenge(body)
        let type = try body.string(SupabaseWire.type)
        switch type {
        case "signup", "email_change":
            guard let email, phone == nil else { throw .validation("Type provided requires an email address") }
            guard var person = person(email: try Self.checkedEmail(email)) else { break }
            if type == "signup" {
                guard person.emailConfirmedAt == nil else { break }
                try send(.confirmation, SupabaseMail(type: "signup", to: person.email), to: &person, call, flow: flow)
            } else {
                guard person.newEmail != nil else { break }
                try sendEmailChange(&person, call, flow: flow)
            }
            store(person)
        case "sms", "phone_change":
            guard let phone, email == nil else { throw .validation("Type provided requires a phone number") }
            let number = try Self.checkedPhone(phone)
            let found =
                type == "sms" ? person(phone: number) : people.all.first { $0.newPhone == number }
            guard var person = found, type == "phone_change" || person.phoneConfirmedAt == nil else { break }
            let mail = SupabaseMail(type: type ?? "", to: number, channel: "sms")
            try send(type == "sms" ? .confirmation : .phoneChange, mail, to: &person, call, flow: nil)
            store(person)
            return messageSent(to: number)
        default: throw .validation("Missing one of these types: signup, email_change, sms, phone_change")
        }
        return SupabaseReply.json([:])
    }

    /// Sends a nonce for a change of the password.
    mutating func reauthenticate(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        var person = try caller(call).person
        guard !person.email.isEmpty || !person.phone.isEmpty else {
            throw .validation("Reauthentication requires the user to have an email or a phone number")
        }
        let isMail = !person.email.isEmpty
        if isMail, person.emailConfirmedAt == nil {
            throw SupabaseFailure(422, .emailNotConfirmed, "Please verify your email first.")
        }
        if !isMail, person.phoneConfirmedAt == nil {
            throw SupabaseFailure(422, .phoneNotConfirmed, "Please verify your phone first.")
        }
        let mail = SupabaseMail(
            type: "reauthentication", to: isMail ? person.email : person.phone, channel: isMail ? "email" : "sms")
        try send(.reauthentication, mail, to: &person, call, flow: nil)
        store(person)
        return isMail ? SupabaseReply.json([:]) : messageSent(to: person.phone)
    }

    /// Asks the new address to confirm, and also the old one if both must.
    mutating func sendEmailChange(
        _ person: inout SupabasePerson, _ call: SupabaseCall, flow: SupabaseChallengePair?
    ) throws(SupabaseFailure) {
        guard let new = person.newEmail else { return }
        person.confirmedHalf = nil
        try send(.emailChangeNew, SupabaseMail(type: "email_change", to: new), to: &person, call, flow: flow)
        guard settings.needsBothAddresses, !person.email.isEmpty else { return }
        let mail = SupabaseMail(type: "email_change", to: person.email)
        try send(.emailChangeOld, mail, to: &person, call, flow: flow, isFree: true)
    }
}
