import LatchkeyJSON

/// Mail addresses and phone numbers of a person.
extension ClerkState {
    enum Address {
        case mail, phone

        var object: String { self == .mail ? "email_address" : "phone_number" }

        var list: WritableKeyPath<ClerkPerson, [String: (address: String, code: ClerkCode?)]> {
            self == .mail ? \.emails : \.phones
        }

        func isOne(_ text: String) -> Bool { self == .mail ? text.contains("@") : text.hasPrefix("+") }
    }

    mutating func answerAddress(
        _ call: ClerkCall, _ path: [String], _ person: ClerkPerson, _ kind: Address
    ) throws(ClerkRefusal) -> ClerkReply {
        let all = kind == .mail ? person.allEmails : person.allPhones
        guard path.count > 1 else {
            // clerk-android reads this list without an envelope.
            if call.method == "GET" { return .bare(.array(all.map { object($0.id, person, kind) })) }
            guard call.method == "POST" else { throw ClerkRefusal(404, "resource_not_found") }
            return .wrapped(try add(call, person, kind))
        }
        guard let entry = all.first(where: { $0.id == path[1] }) else { throw ClerkRefusal(404, "resource_not_found") }
        switch (call.method, path.dropFirst(2).first) {
        case ("GET", nil): break
        case ("POST", "prepare_verification"): try prepare(call, entry, person, kind)
        case ("POST", "attempt_verification"):
            var code = entry.code
            defer { people[person.id]?[keyPath: kind.list][entry.id]?.code = code }
            try take(try call.required("code"), code?.strategy ?? "", &code)
            code = nil
        case ("PATCH", nil) where kind == .phone:
            guard call.form["reserved_for_second_factor"] != nil else { break }
            if call.isTrue("reserved_for_second_factor") {
                people[person.id]?.secondPhones.insert(entry.id)
            } else {
                people[person.id]?.secondPhones.remove(entry.id)
            }
        case ("DELETE", nil):
            remove(entry.id, person, kind)
            return .wrapped(deleted(kind.object, entry.id))
        default: throw ClerkRefusal(404, "resource_not_found")
        }
        return .wrapped(object(path[1], people[person.id] ?? person, kind))
    }

    private mutating func add(
        _ call: ClerkCall, _ person: ClerkPerson, _ kind: Address
    ) throws(ClerkRefusal) -> JSON {
        let address = try call.required(kind.object).lowercased()
        let meta: JSON = ["param_name": .string(kind.object)]
        guard kind.isOne(address) else { throw ClerkRefusal(422, "form_param_format_invalid", meta) }
        guard self.person(address) == nil else { throw ClerkRefusal(422, "form_identifier_exists", meta) }
        let id = Self.name("idn")
        people[person.id]?[keyPath: kind.list][id] = (address, ClerkCode(strategy: "", code: "", expires: 0))
        if kind == .phone, call.isTrue("reserved_for_second_factor") { people[person.id]?.secondPhones.insert(id) }
        return object(id, people[person.id] ?? person, kind)
    }

    private mutating func prepare(
        _ call: ClerkCall, _ entry: (id: String, address: String, code: ClerkCode?), _ person: ClerkPerson,
        _ kind: Address
    ) throws(ClerkRefusal) {
        guard entry.code != nil else { throw ClerkRefusal(400, "verification_already_verified") }
        // clerk-ios names no strategy.
        let usual = kind == .mail ? "email_code" : "phone_code"
        let strategy = call.form["strategy"].flatMap { $0.isEmpty ? nil : $0 } ?? usual
        guard strategy == usual else { throw ClerkRefusal(400, "verification_strategy_invalid") }
        let code = sendCode(to: entry.address)
        people[person.id]?[keyPath: kind.list][entry.id]?.code = ClerkCode(
            strategy: strategy, code: code, expires: now + settings.codeLifetime)
    }

    private mutating func remove(_ id: String, _ person: ClerkPerson, _ kind: Address) {
        people[person.id]?[keyPath: kind.list][id] = nil
        people[person.id]?.secondPhones.remove(id)
        if id == person.emailID { people[person.id]?.email = nil }
        if id == person.phoneID { people[person.id]?.phone = nil }
        if person.primaryEmail == id { people[person.id]?.primaryEmail = nil }
        if person.primaryPhone == id { people[person.id]?.primaryPhone = nil }
    }

    private func object(_ id: String, _ person: ClerkPerson, _ kind: Address) -> JSON {
        let all = kind == .mail ? person.allEmails : person.allPhones
        guard let entry = all.first(where: { $0.id == id }) else { return .null }
        return kind == .mail
            ? email(id, entry.address, entry.code, person) : phone(id, entry.address, entry.code, person)
    }
}
