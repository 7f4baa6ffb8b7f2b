import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

/// What the instance wants done before a session counts: a pending session is nobody to a backend. Clerk's specification
/// does not say by which calls a task ends; this follows its own clients.
extension ClerkConversation {
    /// Asks for the first task of a session; `nil` if the session counts already.
    func unfinished(_ session: JSON) async throws -> Turn? {
        guard session["status"] == "pending", let id = session["id"],
            let task = (session["tasks"]?.array ?? []).lazy.compactMap({ $0["key"]?.string }).first
        else { return nil }
        var conversation = self
        conversation.pending = pending.with([
            "kind": "task", "task": .string(task), "attempt": id, "strategy": nil, "id": nil, "level": nil,
            "redirect": nil, "shown": nil, "sentTo": nil, "who": nil, "verifier": nil,
        ])
        switch task {
        case "choose-organization": return try await conversation.askOrganization(mayMake: session["user"])
        case "reset-password": return conversation.asked(.newPassword(rules: []))
        case "setup-mfa": return try await conversation.askFactor(session["user"])
        default:
            let name = ClerkFailure.isWord(task) ? " (\(task))" : ""
            throw provider.error(
                .refused(.factorRequired),
                "The instance wants something done first that cannot be asked for here\(name).")
        }
    }

    /// Takes the answer to what a task asked.
    func answerTask(_ answer: Answer, to challenge: Challenge) async throws -> Turn {
        let strategy = pending["strategy"]?.string
        switch (answer, challenge.ask) {
        case (.declined, _):
            // Nobody would know of the session.
            if pending["made"] == true, service.clientToken != nil { _ = try? await service.post("\(path)/remove") }
            throw provider.error(.declined, "The person declined.")
        case (.password(let password), .newPassword):
            if let turn = try await replace(with: password) { return turn }
        case (.choice(let id), .choose) where strategy == "organization": return try await chosen(organization: id)
        case (.choice(let id), .choose): return try await chosen(factor: id)
        case (.fields(let fields), .fields) where strategy == "organization":
            let made = try await call("/organizations", ["name": fields["name"]?.revealText()])
            return try await select(JSONField(made)["id"].string())
        case (.fields(let fields), .fields) where pending["task"] == "reset-password":
            let members = ["new_password", "current_password"].map { fields[$0]?.revealText() }
            _ = try await call("/me/change_password", ["new_password": members[0], "current_password": members[1]])
        case (.fields(let fields), .fields):
            return try await reserve(number: fields["phone_number"]?.revealText() ?? "")
        case (.code(let code), .enrolment):
            _ = try await call("/me/totp/attempt_verification", ["code": code.revealText()])
        case (.code(let code), .code):
            let number = "/me/phone_numbers/\(FormEncoding.encode(pending["id"]?.string ?? ""))"
            let proven = try await call("\(number)/attempt_verification", ["code": code.revealText()])
            if proven["reserved_for_second_factor"] != true { try await reserve(number) }
        case (.resend, .code): return try await sendCode()
        default: throw unsupported("this answer")
        }
        return try await done()
    }

    /// Replaces the password; asks for both if the instance wants the present one too.
    private func replace(with password: Secret) async throws -> Turn? {
        var asking = self
        asking.service.wording = { $0 }
        do {
            _ = try await asking.call("/me/change_password", ["new_password": password.revealText()])
            return nil
        } catch let failure as ClerkFailure {
            let present = "current_password"
            guard failure.entries.contains(where: { $0.field == present }) else {
                throw failure.error(isSigningIn: true)
            }
            return asked(.fields([Ask.Field(name: present, secret: true), .newPassword("new_password")]))
        }
    }

    /// Reads the session again, which may have another task.
    private func done() async throws -> Turn { try await granted(pending["attempt"]?.string ?? "") }

    /// Calls as the person whose session is pending.
    private func call(
        _ path: String, _ form: KeyValuePairs<String, String?>?, method: String = "POST",
        query: KeyValuePairs<String, String?> = [:]
    ) async throws -> JSON {
        var query = FormParameters(of: query)
        query.add("_clerk_session_id", pending["attempt"]?.string ?? "")
        let body = form.map { Array(FormEncoding.encode(FormParameters(of: $0)).utf8) }
        return try await service.send(method, path, query, body: body)
    }
}

/// Choosing or making an organization.
extension ClerkConversation {
    private static let newOne = "new"

    private func askOrganization(mayMake user: JSON?) async throws -> Turn {
        var options: [Ask.Option] = []
        var offered: [String: JSON] = [:]
        func offer(_ id: String?, _ organization: String?, _ label: String) {
            guard let id, let organization, offered[id] == nil else { return }
            offered[id] = .string(organization)
            options.append(Ask.Option(id: id, label: label))
        }
        let page: KeyValuePairs<String, String?> = ["paginated": "true", "limit": "100"]
        let memberships = try await call("/me/organization_memberships", nil, method: "GET", query: page)
        for entry in memberships["data"]?.array ?? memberships.array ?? [] {
            let (id, name) = (entry["organization"]?["id"]?.string, entry["organization"]?["name"]?.string)
            offer(id, id, name ?? id ?? "")
        }
        let open: KeyValuePairs<String, String?> = ["status": "pending", "limit": "100"]
        let invitations = try? await call("/me/organization_invitations", nil, method: "GET", query: open)
        for entry in invitations?["data"]?.array ?? invitations?.array ?? [] {
            let data = entry["public_organization_data"]
            let name = data?["name"]?.string ?? data?["id"]?.string ?? ""
            offer(entry["id"]?.string, data?["id"]?.string, "\(name) (invitation)")
        }
        let mayMake = user?["create_organization_enabled"]?.bool ?? true
        guard !options.isEmpty else {
            guard mayMake else {
                throw provider.error(
                    .refused(.factorRequired),
                    "The person is in no organization, and may make none: somebody has to invite them.")
            }
            return asked(.fields([Ask.Field(name: "name")]), ["strategy": "organization"])
        }
        if mayMake { options.append(Ask.Option(id: Self.newOne, label: "A new organization")) }
        return asked(.choose(options), ["strategy": "organization", "shown": .object(offered)])
    }

    private func chosen(organization id: String) async throws -> Turn {
        if id == Self.newOne { return asked(.fields([Ask.Field(name: "name")]), ["shown": nil]) }
        guard let organization = pending["shown"]?[id]?.string else { throw unsupported("this choice") }
        if organization != id {
            _ = try await call("/me/organization_invitations/\(FormEncoding.encode(id))/accept", [:])
        }
        return try await select(organization)
    }

    private func select(_ organization: String) async throws -> Turn {
        let form = FormParameters(of: ["active_organization_id": organization, "intent": "select_org"])
        _ = try await service.post("\(path)/touch", form)
        return try await done()
    }
}

/// Setting up a second factor.
extension ClerkConversation {
    private func askFactor(_ user: JSON?) async throws -> Turn {
        let offered = try await service.environment().secondFactors
        var options: [Ask.Option] = []
        if offered.contains("totp") { options.append(Ask.Option(id: "totp", label: "Authenticator app")) }
        if offered.contains("phone_code") {
            for entry in user?["phone_numbers"]?.array ?? [] where entry["verification"]?["status"] == "verified" {
                guard let id = entry["id"]?.string, let number = entry["phone_number"]?.string else { continue }
                options.append(Ask.Option(id: id, label: "Text message to \(number)"))
            }
            options.append(Ask.Option(id: "phone_code", label: "Text message to another number"))
        }
        guard let first = options.first else { throw unsupported("any second factor that the instance has") }
        var conversation = self
        let names = options.map { ($0.id, JSON.string($0.label)) }
        conversation.pending = pending.with([
            "strategy": "factor", "shown": .object(Dictionary(names) { first, _ in first }),
        ])
        return options.count == 1
            ? try await conversation.chosen(factor: first.id) : conversation.asked(.choose(options))
    }

    private func chosen(factor id: String) async throws -> Turn {
        guard pending["shown"]?[id] != nil else { throw unsupported("this choice") }
        switch id {
        case "totp":
            let key = JSONField(try await call("/me/totp", [:]))
            let enrolment = Ask.Enrolment(key: try key["secret"].string(), address: try key["uri"].string())
            return asked(.enrolment(enrolment), ["shown": nil])
        case "phone_code": return asked(.fields([Ask.Field(name: "phone_number")]), ["shown": nil])
        default:
            try await reserve("/me/phone_numbers/\(FormEncoding.encode(id))")
            return try await done()
        }
    }

    private func reserve(_ number: String) async throws {
        _ = try await call(number, ["reserved_for_second_factor": "true"], method: "PATCH")
    }

    private func reserve(number: String) async throws -> Turn {
        let form: KeyValuePairs<String, String?> = ["phone_number": number, "reserved_for_second_factor": "true"]
        let made = JSONField(try await call("/me/phone_numbers", form))
        var conversation = self
        conversation.pending = pending.with(["id": .string(try made["id"].string()), "sentTo": .string(number)])
        return try await conversation.sendCode()
    }

    private func sendCode() async throws -> Turn {
        let number = "/me/phone_numbers/\(FormEncoding.encode(pending["id"]?.string ?? ""))"
        _ = try await call("\(number)/prepare_verification", ["strategy": "phone_code"])
        return asked(.code(over: .sms, sentTo: pending["sentTo"]?.string))
    }
}
