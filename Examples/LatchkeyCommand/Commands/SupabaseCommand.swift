import Latchkey
import LatchkeyJSON
import LatchkeySupabase

extension Option {
    static let factorName = value("name", "NAME", .text, "enroll: what the factor is called")
    static let phone = value("phone", "NUMBER", .text, "enroll: a telephone instead of an authenticator app")
    static let keepForLater = flag("detach", "enroll: shows the factor and ends; \"verify\" goes on, in any process")
}

extension Command {
    static let supabase = Command(
        name: "supabase", summary: "Shows the person of a Supabase login, with factors and identities",
        details: [
            "\"user\" shows who it is, as the service says now.",
            "\"factors\" lists the further factors. \"factors enroll\" begins one, an authenticator app by a QR code, and"
                + " asks for its first code; \"factors verify ID\" proves one, now or later; \"factors unenroll ID\""
                + " removes one, for which a verified one must have been proven.",
            "\"identities\" lists the ways to sign in. \"identities link NAME\" adds one in a browser, such as github;"
                + " \"identities unlink ID\" removes one, and the last one stays.",
            "No token is shown. What \"factors enroll\" shows is a secret, and the only one.",
        ],
        output: [
            (
                "user",
                "user: id, email, emailConfirmed, newEmail, phone, phoneConfirmed, newPhone, anonymous, metadata"
            ),
            ("factors", "user, factors: a list of objects: id, type, name, phone, verified"),
            ("identities", "user, identities: a list of objects: id, provider, email"),
            ("factor", "factors enroll, verify, unenroll: the factor's id"),
            ("type", "factors enroll: totp or phone"),
            ("uri, secret", "factors enroll: what the authenticator app is given"),
            ("identity", "identities unlink: the identity's id"),
            ("account", "identities link: the account's id"), ("profile", "The profile"),
        ],
        options: [
            .factorName, .phone, .keepForLater, .codeFromInput, .noBrowser, .exposeAddress, .port, .account, .verbose,
            .profile, .json,
        ],
        operands: [
            Operand(
                placeholder: "WHAT", kind: .words(["user", "factors", "identities"]), count: .one,
                help: "What to show or change"),
            Operand(
                placeholder: "ACTION", kind: .words(["list", "enroll", "verify", "unenroll", "link", "unlink"]),
                count: .optional, help: "What to do about it; list if not given"),
            Operand(
                placeholder: "ID", kind: .text, count: .optional,
                help: "Which factor or identity; for link the name of the identity provider"),
        ],
        run: { invocation in
            let desk = try await SupabaseDesk(invocation)
            let operands = invocation.arguments.operands
            switch (operands[0], operands.count > 1 ? operands[1] : "list") {
            case ("user", "list"): try await desk.showUser()
            case ("factors", "list"): try await desk.listFactors()
            case ("factors", "enroll"): try await desk.enroll()
            case ("factors", "verify"): try await desk.verify()
            case ("factors", "unenroll"): try await desk.unenroll()
            case ("identities", "list"): try await desk.listIdentities()
            case ("identities", "link"): try await desk.link()
            case ("identities", "unlink"): try await desk.unlink()
            default:
                throw UsageError(
                    "usage.noSuchAction", ["what": operands[0], "action": operands[1]],
                    command: invocation.arguments.command)
            }
            return .success
        })
}

/// Manages the signed-in person of a Supabase login.
struct SupabaseDesk {
    let invocation: Invocation
    let workplace: Workplace
    let handle: SupabaseHandle

    /// - Throws: `configuration(unsupported)` for a profile of another kind of service.
    init(_ invocation: Invocation) async throws {
        self.invocation = invocation
        let profile = try invocation.profile()
        guard profile.service == .supabase else {
            try profile.checkKnown()
            throw ToolError(.configuration(.unsupported), "error.notSupabase", ["profile": profile.name])
        }
        workplace = try await Workplace.open(invocation, profile)
        let account = try await workplace.account(among: try await workplace.accounts())
        handle = try workplace.client.supabase(account: account?.id)
    }

    /// Returns the operand ID.
    ///
    /// - Throws: ``UsageError`` if it is missing.
    func id(orElse key: String) throws -> String {
        let operands = invocation.arguments.operands
        guard operands.count > 2 else {
            throw UsageError(key, command: invocation.arguments.command)
        }
        return operands[2]
    }

    /// Shows the person.
    func showUser() async throws {
        let user = try await workplace.waiting("progress.asking") { _ throws(AuthError) in try await handle.user() }
        var members: [String: JSON] = [
            "id": .string(user.id), "anonymous": .bool(user.isAnonymous),
            "emailConfirmed": .bool(user.isEmailConfirmed), "phoneConfirmed": .bool(user.isPhoneConfirmed),
            "metadata": .object(user.metadata),
        ]
        members["email"] = user.email.map(JSON.string)
        members["newEmail"] = user.newEmail.map(JSON.string)
        members["phone"] = user.phone.map(JSON.string)
        members["newPhone"] = user.newPhone.map(JSON.string)
        let texts = invocation.texts
        func confirmed(_ text: String?, _ isConfirmed: Bool) -> String? {
            text.map { isConfirmed ? $0 : texts("supabase.unconfirmed", ["value": $0]) }
        }
        let waiting = [user.newEmail, user.newPhone].compactMap(\.self).joined(separator: ", ")
        let ways = user.identities.map(\.provider).joined(separator: ", ")
        let factors = user.factors.filter(\.isVerified).map(\.type).joined(separator: ", ")
        try invocation.show(
            [
                "user": .object(members), "factors": .array(user.factors.map(Self.json)),
                "identities": .array(user.identities.map(Self.json)), "profile": .string(workplace.profile.name),
            ],
            Columns.lines([
                ("id", user.id), (texts("label.email"), confirmed(user.email, user.isEmailConfirmed)),
                (texts("label.phone"), confirmed(user.phone.map { "+\($0)" }, user.isPhoneConfirmed)),
                (texts("label.unconfirmed"), waiting.isEmpty ? nil : waiting),
                (texts("label.anonymous"), user.isAnonymous ? texts("yes") : nil),
                (texts("label.identities"), ways.isEmpty ? texts("none") : ways),
                (texts("label.factors"), factors.isEmpty ? texts("none") : factors),
            ]))
    }
}
