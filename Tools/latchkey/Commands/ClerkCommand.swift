import FoundationEssentials
import Latchkey
import LatchkeyClerk
import LatchkeyJSON

extension Command {
    static let clerk = Command(
        name: "clerk", summary: "Shows the person of a Clerk login, with sessions and organizations",
        details: [
            "\"me\" shows who it is, as the service says now.",
            "\"sessions\" lists the person's sessions on all devices; \"sessions end ID\" ends another one.",
            "\"organizations\" lists those that the person is in; \"organizations select ID\" makes one the session's own,"
                + " \"organizations select personal\" none. A token for one of them alone: latchkey token --audience"
                + " organization:ID.",
        ],
        output: [
            ("user", "me: id, username, firstName, lastName, emails and phones with id, value, verified and primary"),
            ("sessions", "sessions: a list of objects: id, current, status, lastActiveAt, device, place"),
            ("organizations", "organizations: a list of objects: id, name, slug, role, permissions, selected"),
            ("session", "sessions end: the session's id"),
            ("organization", "organizations select: the organization's id; empty for none"), ("profile", "The profile"),
        ],
        options: [.account, .verbose, .profile, .json],
        operands: [
            Operand(
                placeholder: "WHAT", kind: .words(["me", "sessions", "organizations"]), count: .one,
                help: "What to show or change"),
            Operand(
                placeholder: "ACTION", kind: .words(["list", "end", "select"]), count: .optional,
                help: "What to do about it; list if not given"),
            Operand(placeholder: "ID", kind: .text, count: .optional, help: "Which session or organization"),
        ],
        run: { invocation in
            let desk = try await ClerkDesk(invocation)
            let operands = invocation.arguments.operands
            switch (operands[0], operands.count > 1 ? operands[1] : "list") {
            case ("me", "list"): try await desk.showUser()
            case ("sessions", "list"): try await desk.listSessions()
            case ("sessions", "end"): try await desk.endSession()
            case ("organizations", "list"): try await desk.listOrganizations()
            case ("organizations", "select"): try await desk.select()
            default:
                throw UsageError(
                    "usage.noSuchAction", ["what": operands[0], "action": operands[1]],
                    command: invocation.arguments.command)
            }
            return .success
        })
}

/// Manages the signed-in person of a Clerk login.
struct ClerkDesk {
    let invocation: Invocation
    let workplace: Workplace
    let handle: ClerkHandle
    let account: Account?

    /// - Throws: `configuration(unsupported)` for a profile of another kind of service.
    init(_ invocation: Invocation) async throws {
        self.invocation = invocation
        let profile = try invocation.profile()
        guard profile.service == .clerk else {
            try profile.checkKnown()
            throw ToolError(.configuration(.unsupported), "error.notClerk", ["profile": profile.name])
        }
        workplace = try await Workplace.open(invocation, profile)
        let accounts = try await workplace.accounts()
        account = try await workplace.account(among: accounts) ?? accounts.first { $0.isCurrent }
        handle = try workplace.client.clerk(account: account?.id)
    }

    private var texts: ToolTexts { invocation.texts }
    private var profile: JSON { .string(workplace.profile.name) }

    func showUser() async throws {
        let user = try await workplace.waiting("progress.asking") { _ throws(AuthError) in try await handle.me() }
        var members: [String: JSON] = [
            "id": .string(user.id), "emails": .array(user.emails.map(json)), "phones": .array(user.phones.map(json)),
        ]
        members["username"] = user.username.map(JSON.string)
        members["firstName"] = user.firstName.map(JSON.string)
        members["lastName"] = user.lastName.map(JSON.string)
        let name = [user.firstName, user.lastName].compactMap(\.self).joined(separator: " ")
        func words(_ list: [ClerkUser.Identifier]) -> String? {
            let all = list.map { $0.isVerified ? $0.value : texts("supabase.unconfirmed", ["value": $0.value]) }
            return all.isEmpty ? nil : all.joined(separator: ", ")
        }
        try invocation.show(
            ["user": .object(members), "profile": profile],
            Columns.lines([
                ("id", user.id), (texts("label.name"), name.isEmpty ? nil : name),
                (texts("label.user"), user.username), (texts("label.email"), words(user.emails)),
                (texts("label.phone"), words(user.phones)),
                (texts("label.factors"), texts(user.hasSecondFactor ? "yes" : "none")),
            ]))
    }

    private func json(_ identifier: ClerkUser.Identifier) -> JSON {
        [
            "id": .string(identifier.id), "value": .string(identifier.value), "verified": .bool(identifier.isVerified),
            "primary": .bool(identifier.isPrimary),
        ]
    }

    func listSessions() async throws {
        let found = try await workplace.waiting("progress.asking") { _ throws(AuthError) in
            try await handle.sessions()
        }
        let now = invocation.world.clock.wall()
        let list = found.map { session -> JSON in
            var members: [String: JSON] = [
                "id": .string(session.id), "current": .bool(session.isCurrent), "status": .string(session.status),
            ]
            members["lastActiveAt"] = session.lastActiveAt.map { .string(AccountReport.text($0)) }
            members["device"] = session.device.map(JSON.string)
            members["place"] = session.place.map(JSON.string)
            return .object(members)
        }
        try invocation.show(
            ["sessions": .array(list), "profile": profile],
            Columns.lines(
                found.map { session in
                    let when = session.lastActiveAt.map { AccountReport.describe($0, from: now, texts) }
                    let words = [session.device, session.place, when].compactMap(\.self).joined(separator: "  ")
                    return ("\(session.isCurrent ? "*" : " ") \(session.id)", words)
                }))
    }

    func endSession() async throws {
        let id = try operand()
        try await workplace.waiting("progress.removing") { _ throws(AuthError) in try await handle.endSession(id) }
        try invocation.show(["session": .string(id), "profile": profile], [texts("clerk.ended", ["id": id])])
    }

    func listOrganizations() async throws {
        let found = try await workplace.waiting("progress.asking") { _ throws(AuthError) in
            try await handle.organizations()
        }
        let selected = try await selected()
        let list = found.map { entry -> JSON in
            [
                "id": .string(entry.id), "name": .string(entry.name), "slug": entry.slug.map(JSON.string) ?? .null,
                "role": .string(entry.role), "permissions": .array(entry.permissions.map(JSON.string)),
                "selected": .bool(entry.id == selected),
            ]
        }
        try invocation.show(
            ["organizations": .array(list), "profile": profile],
            found.isEmpty
                ? [texts("clerk.noOrganizations")]
                : Columns.lines(
                    found.map { ("\($0.id == selected ? "*" : " ") \($0.id)", "\($0.name)  \($0.role)") }))
    }

    /// Returns the organization of the session's own tokens.
    private func selected() async throws -> String? {
        let token = try await workplace.client.accessToken(of: account?.id)
        return try ClerkClaims(unverified: token.value).organization?.id
    }

    func select() async throws {
        let word = try operand()
        let id = word == "personal" ? nil : word
        try await workplace.waiting("progress.asking") { _ throws(AuthError) in
            try await handle.selectOrganization(id)
        }
        try invocation.show(
            ["organization": .string(id ?? ""), "profile": profile],
            [id.map { texts("clerk.selected", ["id": $0]) } ?? texts("clerk.selectedNone")])
    }

    private func operand() throws -> String {
        let operands = invocation.arguments.operands
        guard operands.count > 2 else {
            throw UsageError("usage.operandMissing", ["operand": "ID"], command: invocation.arguments.command)
        }
        return operands[2]
    }
}
