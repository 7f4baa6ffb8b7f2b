import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// Creates an account, which may be anonymous.
    mutating func signUp(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        let body = try call.body()
        try checkCaptcha(body, call)
        let (email, phone) = (try body.string(SupabaseWire.email), try body.string(SupabaseWire.phone))
        let data = try body.object(SupabaseWire.data) ?? [:]
        guard !settings.disablesSignUp else {
            throw SupabaseFailure(422, .signupDisabled, "Signups not allowed for this instance")
        }
        if email == nil, phone == nil { return try signUpAnonymously(call, data: data) }
        try limit(.signUp, call)
        guard email == nil || phone == nil else {
            throw .validation("Only an email address or phone number should be provided on signup.")
        }
        guard let password = try body.string(SupabaseWire.password) else {
            throw .validation("Signup requires a valid password")
        }
        try check(password: password)
        let flow = try challenge(body)
        if let email {
            guard settings.allowsEmail else {
                throw SupabaseFailure(400, .emailProviderDisabled, "Email signups are disabled")
            }
            let email = try Self.checkedEmail(email)
            return try signUp(call, email: email, password: password, data: data, flow: flow)
        }
        guard flow == nil else { throw .validation("PKCE not supported for phone signups") }
        guard settings.allowsPhone else {
            throw SupabaseFailure(400, .phoneProviderDisabled, "Phone signups are disabled")
        }
        let channel = try channel(body)
        return try signUp(
            call, phone: try Self.checkedPhone(phone ?? ""), password: password, data: data, channel: channel)
    }

    private mutating func signUp(
        _ call: SupabaseCall, email: String, password: String, data: [String: JSON], flow: SupabaseChallengePair?
    ) throws(SupabaseFailure) -> ServerResponse {
        let known = person(email: email)
        if let known, known.emailConfirmedAt != nil {
            guard !settings.autoconfirms else { throw Self.taken }
            return SupabaseReply.json(decoy(email: email, phone: "", data: data))
        }
        var person = known ?? newPerson(email: email, data: data)
        if known == nil { person.password = digest(password) }
        if settings.autoconfirms {
            confirmEmail(&person, identity: false)
            return try signedUp(&person, call)
        }
        try send(.confirmation, SupabaseMail(type: "signup", to: email), to: &person, call, flow: flow)
        store(person)
        return SupabaseReply.json(json(people[person.id] ?? person, isSignUp: true))
    }

    private mutating func signUp(
        _ call: SupabaseCall, phone: String, password: String, data: [String: JSON], channel: String
    ) throws(SupabaseFailure) -> ServerResponse {
        let known = person(phone: phone)
        if let known, known.phoneConfirmedAt != nil {
            guard !settings.autoconfirmsPhone else { throw Self.taken }
            return SupabaseReply.json(decoy(email: "", phone: phone, data: data))
        }
        var person = known ?? newPerson(phone: phone, data: data)
        if known == nil { person.password = digest(password) }
        if settings.autoconfirmsPhone {
            person.phoneConfirmedAt = now
            return try signedUp(&person, call)
        }
        try send(.confirmation, SupabaseMail(type: "sms", to: phone, channel: channel), to: &person, call, flow: nil)
        store(person)
        return SupabaseReply.json(json(people[person.id] ?? person, isSignUp: true))
    }

    private mutating func signedUp(
        _ person: inout SupabasePerson, _ call: SupabaseCall
    ) throws(SupabaseFailure) -> ServerResponse {
        let session = begin(for: &person, by: "password", agent: call.request.field("User-Agent"))
        var shown = people[person.id] ?? person
        // This answer shows the identity as confirmed, later ones do not.
        for index in shown.identities.indices where shown.identities[index].provider == "email" {
            shown.identities[index].data[SupabaseWire.emailVerified] = .bool(true)
        }
        return try answer(session, shown, isSignUp: true)
    }

    private mutating func signUpAnonymously(
        _ call: SupabaseCall, data: [String: JSON]
    ) throws(SupabaseFailure) -> ServerResponse {
        guard settings.allowsAnonymous else {
            throw SupabaseFailure(422, .anonymousProviderDisabled, "Anonymous sign-ins are disabled")
        }
        try limit(.anonymous, call)
        var person = SupabasePerson(now: now)
        (person.isAnonymous, person.userMetadata) = (true, data)
        let session = begin(for: &person, by: "anonymous", agent: call.request.field("User-Agent"))
        return try answer(session, people[person.id] ?? person, isSignUp: true)
    }

    private static var taken: SupabaseFailure {
        SupabaseFailure(422, .userAlreadyExists, "User already registered")
    }

    /// Throws if a CAPTCHA answer is needed and the request has none.
    func checkCaptcha(_ body: SupabaseBody, _ call: SupabaseCall) throws(SupabaseFailure) {
        guard let expected = settings.captchaToken, !isService(call) else { return }
        let sent = try body.object(SupabaseWire.metaSecurity)?[SupabaseWire.captchaToken]?.string
        guard sent == expected else {
            let reason = sent == nil ? "no captcha_token found" : "invalid-input-response"
            throw SupabaseFailure(400, .captchaFailed, "captcha protection: request disallowed (\(reason))")
        }
    }

    /// Returns the channel for an SMS.
    func channel(_ body: SupabaseBody) throws(SupabaseFailure) -> String {
        let channel = try body.string(SupabaseWire.channel) ?? "sms"
        guard channel == "sms" || channel == "whatsapp" else {
            throw .validation("Invalid channel, supported values are 'sms' or 'whatsapp'")
        }
        return channel
    }
}
