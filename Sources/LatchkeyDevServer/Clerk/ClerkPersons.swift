import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// Requests of signed-in people about themselves.
extension ClerkState {
    mutating func answerPerson(_ call: ClerkCall, _ session: ClerkSession) throws(ClerkRefusal) -> ClerkReply {
        guard let person = people[session.person] else { throw ClerkRefusal(401, "signed_out") }
        let path = Array(call.path.dropFirst())
        switch (call.method, path.first) {
        case ("GET", nil): return .wrapped(object(person))
        case ("PATCH", nil), ("PATCH", "metadata"), ("POST", "change_password"):
            try change(call, path.first, session)
        case (_, "totp"), ("POST", "backup_codes"): return .wrapped(try answerFactor(call, path, person))
        case (_, "email_addresses"): return .wrapped(try answerAddress(call, path, person, .mail))
        case (_, "phone_numbers"): return .wrapped(try answerAddress(call, path, person, .phone))
        case (_, "passkeys"): return .wrapped(try answerPasskey(call, path, person))
        case ("POST", "external_accounts"), ("DELETE", "external_accounts"):
            return .wrapped(try answerExternal(call, path, person))
        case ("POST", "profile_image"), ("DELETE", "profile_image"): try changeImage(call, person)
        case (_, "organization_invitations"): return .wrapped(try answerInvitation(call, path, person))
        case ("POST", "remove_password"):
            try check(try call.required("current_password"), of: person)
            people[person.id]?.password = nil
        case ("DELETE", nil):
            endSessions { $0.person == person.id }
            people[person.id] = nil
            return .wrapped(["object": "user", "id": .string(person.id), "deleted": true])
        case (_, "sessions"): return try answerSessions(call, path, session)
        case ("GET", "organization_memberships"): return .wrapped(memberships(call, person))
        default: throw ClerkRefusal(404, "resource_not_found")
        }
        return .wrapped(people[person.id].map { object($0) } ?? .null)
    }

    private mutating func change(
        _ call: ClerkCall, _ what: String?, _ session: ClerkSession
    ) throws(ClerkRefusal) {
        guard var person = people[session.person] else { throw ClerkRefusal(401, "signed_out") }
        switch what {
        case nil:
            if call.form["unsafe_metadata"] != nil { throw ClerkRefusal(422, "form_param_unknown") }
            func taken(_ name: String, _ old: String?) -> String? {
                call.form[name].map { $0.isEmpty ? nil : $0 } ?? old
            }
            person.firstName = taken("first_name", person.firstName)
            person.lastName = taken("last_name", person.lastName)
            person.username = taken("username", person.username)
        case "metadata":
            guard let patch = try? JSON.parse(Array(call.required("unsafe_metadata").utf8)), patch.object != nil else {
                throw ClerkRefusal(422, "form_param_format_invalid", ["param_name": "unsafe_metadata"])
            }
            person.metadata = Self.merge(patch, into: person.metadata)
        default:
            if let known = person.password, call.form["current_password"] != known {
                throw ClerkRefusal(422, "form_password_incorrect", ["param_name": "current_password"])
            }
            let password = try call.required("new_password")
            guard password.count >= 8 else {
                throw ClerkRefusal(422, "form_password_length_too_short", ["param_name": "new_password"])
            }
            person.password = password
            if call.form["sign_out_of_other_sessions"] == "true" {
                endSessions { $0.person == person.id && $0.id != session.id }
            }
        }
        people[person.id] = person
    }

    /// Merges as in RFC 7396.
    private static func merge(_ patch: JSON, into target: JSON) -> JSON {
        guard let members = patch.object else { return patch }
        var merged = target.object ?? [:]
        for (name, value) in members {
            // Assigning nil here would store the JSON null instead of removing the member.
            if value == .null {
                merged.removeValue(forKey: name)
            } else {
                merged[name] = merge(value, into: merged[name] ?? .null)
            }
        }
        return .object(merged)
    }

    private mutating func endSessions(where isEnded: (ClerkSession) -> Bool) {
        for client in clients.all { clients[client.id]?.sessions.removeAll(where: isEnded) }
    }

    private mutating func answerFactor(
        _ call: ClerkCall, _ path: [String], _ person: ClerkPerson
    ) throws(ClerkRefusal) -> JSON {
        switch (call.method, path.joined(separator: "/")) {
        case ("POST", "totp"):
            let key = Base32.encode(SecureRandom.bytes(20))
            people[person.id]?.newTOTP = key
            let uri = "otpauth://totp/Latchkey:\(person.email ?? person.id)?secret=\(key)&issuer=Latchkey"
            return [
                "object": "totp", "id": .string(Self.name("totp")), "secret": .string(key), "uri": .string(uri),
                "verified": false,
            ]
        case ("POST", "totp/attempt_verification"):
            try check(try call.required("code"), by: person.newTOTP)
            people[person.id]?.totp = person.newTOTP
            people[person.id]?.newTOTP = nil
            return ["object": "totp", "id": .string(Self.name("totp")), "verified": true]
        case ("DELETE", "totp"):
            people[person.id]?.totp = nil
            return ["object": "totp", "deleted": true]
        case ("POST", "backup_codes"):
            guard person.totp != nil else { throw ClerkRefusal(400, "backup_codes_not_available") }
            let codes = (0..<10).map { _ in Base32.encode(SecureRandom.bytes(5)).lowercased() }
            people[person.id]?.backupCodes = codes
            return ["object": "backup_code", "codes": .array(codes.map(JSON.string))]
        default: throw ClerkRefusal(404, "resource_not_found")
        }
    }

    /// Answers for mail addresses and phone numbers.
    private mutating func answerAddress(
        _ call: ClerkCall, _ path: [String], _ person: ClerkPerson, _ kind: Address
    ) throws(ClerkRefusal) -> JSON {
        if call.method == "POST", path.count == 1 {
            let address = try call.required(kind.object).lowercased()
            guard kind.isOne(address) else {
                throw ClerkRefusal(422, "form_param_format_invalid", ["param_name": .string(kind.object)])
            }
            guard self.person(address) == nil else {
                throw ClerkRefusal(422, "form_identifier_exists", ["param_name": .string(kind.object)])
            }
            let id = Self.name("idn")
            people[person.id]?[keyPath: kind.list][id] = (
                address, ClerkCode(strategy: kind.strategy, code: "", expires: 0)
            )
            return ["object": .string(kind.object), "id": .string(id), kind.object: .string(address)]
        }
        guard path.count > 1, var entry = person[keyPath: kind.list][path[1]] else {
            throw ClerkRefusal(404, "resource_not_found")
        }
        switch (call.method, path.dropFirst(2).first) {
        case ("POST", "prepare_verification"):
            entry.code = ClerkCode(
                strategy: try call.required("strategy"), code: sendCode(to: entry.address),
                expires: now + settings.codeLifetime)
        case ("POST", "attempt_verification"):
            try take(try call.required("code"), kind.strategy, &entry.code)
            entry.code = nil
        case ("DELETE", nil):
            people[person.id]?[keyPath: kind.list][path[1]] = nil
            return ["object": .string(kind.object), "id": .string(path[1]), "deleted": true]
        default: throw ClerkRefusal(404, "resource_not_found")
        }
        people[person.id]?[keyPath: kind.list][path[1]] = entry
        return ["object": .string(kind.object), "id": .string(path[1]), kind.object: .string(entry.address)]
    }

    private enum Address {
        case mail, phone

        var object: String { self == .mail ? "email_address" : "phone_number" }
        var strategy: String { self == .mail ? "email_code" : "phone_code" }

        var list: WritableKeyPath<ClerkPerson, [String: (address: String, code: ClerkCode?)]> {
            self == .mail ? \.emails : \.phones
        }

        func isOne(_ text: String) -> Bool { self == .mail ? text.contains("@") : text.hasPrefix("+") }
    }

    private mutating func answerSessions(
        _ call: ClerkCall, _ path: [String], _ session: ClerkSession
    ) throws(ClerkRefusal) -> ClerkReply {
        let own = clients.all.flatMap(\.sessions).filter { $0.person == session.person }
        if call.method == "GET", path == ["sessions", "active"] {
            return .bare(
                .array(
                    own.sorted { $0.id < $1.id }.map { session in
                        [
                            "object": "session", "id": .string(session.id), "status": "active",
                            "last_active_at": .integer(Int64(session.createdAt * 1_000)),
                            "latest_activity": ["browser_name": "Latchkey", "city": .null],
                        ]
                    }))
        }
        guard call.method == "POST", path.count == 3, path[2] == "revoke" else {
            throw ClerkRefusal(404, "resource_not_found")
        }
        guard own.contains(where: { $0.id == path[1] }) else { throw ClerkRefusal(404, "resource_not_found") }
        endSessions { $0.id == path[1] }
        return .wrapped(["object": "session", "id": .string(path[1]), "status": "revoked"])
    }

    private func memberships(_ call: ClerkCall, _ person: ClerkPerson) -> JSON {
        func number(_ name: String, _ usual: Int) -> Int {
            call.request.queryPairs.first { $0.name == name }.flatMap { Int($0.value) } ?? usual
        }
        let all = person.organizations.sorted { $0.key < $1.key }
        let page = all.dropFirst(max(0, number("offset", 0))).prefix(
            min(max(0, number("limit", 10)), settings.pageLimit))
        return [
            "data": .array(
                page.map { id, role in
                    [
                        "object": "organization_membership", "id": .string("orgmem_\(id)"), "role": .string(role),
                        "permissions": ["org:dashboard:read"],
                        "organization": [
                            "object": "organization", "id": .string(id), "name": .string("The \(id.dropFirst(4))"),
                            "slug": .string(String(id.dropFirst(4))),
                        ],
                    ]
                }), "total_count": .integer(Int64(all.count)),
        ]
    }
}
