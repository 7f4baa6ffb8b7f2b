import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// The result of a code or a link.
    private enum Verified {
        case person(SupabasePerson)
        /// The first of two addresses has agreed.
        case half
    }

    static let halfMessage =
        "Confirmation link accepted. Please proceed to confirm link sent to the other email"

    /// Accepts a code or the hash of a link, and returns a session.
    mutating func verify(_ call: SupabaseCall, note: inout Note) throws(SupabaseFailure) -> ServerResponse {
        if call.method == "GET" { return try openLink(call, note: &note) }
        try limit(.verify, call)
        let body = try call.body()
        guard let type = try body.string(SupabaseWire.type) else {
            throw .validation("Verify requires a verification type")
        }
        let (email, phone) = (try body.string(SupabaseWire.email), try body.string(SupabaseWire.phone))
        let record: SupabaseOneTime
        if let hash = try body.string(SupabaseWire.tokenHash) {
            let target = try body.string(SupabaseWire.redirectTo)
            guard email == nil, phone == nil, target == nil else {
                throw .validation("Only the token_hash and type should be provided")
            }
            record = try find(hash: hash, type: type)
        } else {
            guard let code = try body.string(SupabaseWire.token), (email == nil) != (phone == nil) else {
                throw .validation("Verify requires a token with either an email or a phone number, or a token hash")
            }
            let address = if let email { try Self.checkedEmail(email) } else { try Self.checkedPhone(phone ?? "") }
            record = try find(code: code, address: address, type: type, isPhone: phone != nil)
        }
        switch try accept(record) {
        case .half: return SupabaseReply.json(["code": "200", "msg": .string(Self.halfMessage)])
        case .person(var person):
            let session = begin(for: &person, by: "otp", agent: call.request.field("User-Agent"))
            note.family = session.serial
            return try answer(session, people[person.id] ?? person)
        }
    }

    /// Handles a click on a link.
    private mutating func openLink(_ call: SupabaseCall, note: inout Note) throws(SupabaseFailure) -> ServerResponse {
        try limit(.verify, call)
        guard let hash = call.query(SupabaseWire.token), let type = call.query(SupabaseWire.type) else {
            throw .validation("Verify requires a token and a type")
        }
        let hasFlow = hash.hasPrefix("pkce_")
        // There is no flow method of that name, and the service answers with an error without a code.
        if hasFlow, type == SupabaseWire.email || !Self.isOfMail(type) { throw .unexpected }
        let target = redirect(call)
        do throws(SupabaseFailure) {
            let record: SupabaseOneTime
            do throws(SupabaseFailure) {
                record = try find(hash: hash, type: type)
            } catch  where error.code == .otpExpired {
                throw SupabaseFailure(403, .otpExpired, "Email link is invalid or has expired")
            }
            let flow = mailFlows["\(record.user)/\(Self.flowMethod(type))"].flatMap { flows[$0] }
            if hasFlow, flow == nil {
                throw SupabaseFailure(404, .flowStateNotFound, "No valid flow state found for user.")
            }
            switch try accept(record) {
            case .half:
                let parameters = [SupabaseWire.message: Self.halfMessage]
                let place = hasFlow ? Self.adding(parameters, to: target) : target
                return Self.landing(place, fragment: parameters)
            case .person(var person):
                if hasFlow, let flow {
                    store(person)
                    let code = code(for: flow, user: person.id)
                    return SupabaseReply.redirect(Self.adding([SupabaseWire.code: code], to: target), status: 303)
                }
                let session = begin(for: &person, by: "otp", agent: call.request.field("User-Agent"))
                note.family = session.serial
                return try land(session, people[person.id] ?? person, at: target, type: type, status: 303)
            }
        } catch {
            note.outcome = error.outcome
            let names = [400: "invalid_request", 401: "unauthorized_client", 403: "access_denied", 500: "server_error"]
            var parameters = [SupabaseWire.errorCode: error.outcome, SupabaseWire.errorDescription: error.message]
            parameters[SupabaseWire.error] = names[error.status]
            let place = hasFlow ? Self.adding(parameters, to: target) : target
            return Self.landing(place, fragment: parameters)
        }
    }

    static func landing(_ place: String, fragment: [String: String], status: Int = 303) -> ServerResponse {
        SupabaseReply.redirect("\(place)#\(encoded(fragment.merging(["sb": ""]) { $1 }))", status: status)
    }

    /// Sends a session to the program, in the fragment of an address.
    mutating func land(
        _ session: SupabaseSession, _ person: SupabasePerson, at target: String, type: String?,
        extra: [String: String] = [:], status: Int
    ) throws(SupabaseFailure) -> ServerResponse {
        let members = try members(session, person)
        var parameters = extra
        for (name, value) in members where name != SupabaseWire.user {
            parameters[name] = value.string ?? value.integer.map { String($0) }
        }
        parameters[SupabaseWire.type] = type
        var response = Self.landing(target, fragment: parameters, status: status)
        for field in fields(of: session) { response.set(field.name, field.value) }
        return response
    }

    /// Returns the kinds of codes that a type stands for.
    private static func kinds(_ type: String) -> [SupabaseOneTime.Kind] {
        switch type {
        case "signup", "invite", "sms": [.confirmation]
        case "recovery", "magiclink": [.recovery]
        case "email": [.confirmation, .recovery]
        case "email_change": [.emailChangeOld, .emailChangeNew]
        case "phone_change": [.phoneChange]
        default: []
        }
    }

    /// Whether a mail's link may have this type.
    private static func isOfMail(_ type: String) -> Bool {
        !kinds(type).isEmpty && type != "sms" && type != "phone_change"
    }

    private func find(hash: String, type: String) throws(SupabaseFailure) -> SupabaseOneTime {
        guard Self.isOfMail(type) else { throw .validation("Invalid email verification type") }
        guard let record = hashes[hash].flatMap({ oneTimes[$0] }), Self.kinds(type).contains(record.kind) else {
            throw .expiredCode
        }
        try check(record)
        return record
    }

    private func find(
        code: String, address: String, type: String, isPhone: Bool
    ) throws(SupabaseFailure) -> SupabaseOneTime {
        // A type of phones is demanded of a number only. With an address every type is looked up, and an unknown one
        // matches nothing.
        guard !isPhone || type == "sms" || type == "phone_change" else {
            throw .validation("Invalid sms verification type")
        }
        guard isPhone || Self.isOfMail(type) else { throw .expiredCode }
        let found: SupabasePerson? =
            switch type {
            case "email_change": people.all.first { $0.newEmail == address } ?? person(email: address)
            case "phone_change": people.all.first { $0.newPhone == address }
            default: isPhone ? person(phone: address) : person(email: address)
            }
        guard let found else { throw .expiredCode }
        let records = Self.kinds(type).compactMap { oneTimes["\(found.id)/\($0.rawValue)"] }
        let given = Array(code.utf8)
        guard
            let record = records.first(where: {
                $0.address == address && constantTimeEqual(Array($0.code.utf8), given)
            })
        else { throw .expiredCode }
        try check(record)
        return record
    }

    private func check(_ record: SupabaseOneTime) throws(SupabaseFailure) {
        guard let person = people[record.user] else { throw .expiredCode }
        guard !person.isBanned(now) else { throw SupabaseFailure(403, .userBanned, "User is banned") }
        guard now <= record.sentAt + settings.codeLifetime else { throw .expiredCode }
    }

    /// Uses up a code and records what it proves.
    private mutating func accept(_ record: SupabaseOneTime) throws(SupabaseFailure) -> Verified {
        guard var person = people[record.user] else { throw .expiredCode }
        void(record.kind, of: person.id)
        switch record.kind {
        case .confirmation where record.address == person.phone:
            person.phoneConfirmedAt = person.phoneConfirmedAt ?? now
        case .confirmation: confirmEmail(&person, identity: true)
        case .recovery: if person.emailConfirmedAt == nil { confirmEmail(&person, identity: true) }
        case .emailChangeOld, .emailChangeNew:
            if settings.needsBothAddresses, !person.email.isEmpty, person.confirmedHalf == nil {
                person.confirmedHalf = record.kind
                store(person)
                return .half
            }
            changeEmail(&person)
        case .phoneChange: changePhone(&person)
        case .reauthentication: throw .expiredCode
        }
        store(person)
        return .person(person)
    }

    private mutating func changeEmail(_ person: inout SupabasePerson) {
        guard let new = person.newEmail else { return }
        if emails[person.email] == person.id { emails[person.email] = nil }
        (person.email, person.newEmail, person.confirmedHalf) = (new, nil, nil)
        if let index = person.identities.firstIndex(where: { $0.provider == "email" }) {
            person.identities[index].data[SupabaseWire.email] = .string(new)
        } else {
            attachIdentity("email", to: &person)
        }
        confirmEmail(&person, identity: true)
        void(.emailChangeOld, of: person.id)
        void(.emailChangeNew, of: person.id)
    }

    mutating func changePhone(_ person: inout SupabasePerson) {
        guard let new = person.newPhone else { return }
        if phones[person.phone] == person.id { phones[person.phone] = nil }
        (person.phone, person.newPhone, person.phoneConfirmedAt) = (new, nil, now)
        person.isAnonymous = false
        if !person.identities.contains(where: { $0.provider == "phone" }) { attachIdentity("phone", to: &person) }
    }
}
