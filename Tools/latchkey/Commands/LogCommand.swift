import Latchkey
import LatchkeyAuditLog
import LatchkeyJSON

extension Option {
    static let loggedAccount = value(
        "account", "ACCOUNT", .account, "show, erase: only the lines about this account; an id, or the name shown")
    static let eraseAnyway = flag("yes", "erase: does it without asking")
}

extension Command {
    static let log = Command(
        name: "log", summary: "Shows, checks, prints or erases a profile's security log",
        details: [
            "The log says who signed in or out, when, how it ended and why; persons and devices are hashed. \"show\" lists it,"
                + " \"verify\" checks that no line was changed, removed or put in, \"export\" prints the file, one JSON object a"
                + " line.",
            "\"erase\" with --account takes out the lines about one account; a line in their place says how many. Without it"
                + " everything goes, and later hashes are different ones. Lines older than 90 days go by themselves.",
        ],
        output: [
            ("profile", "The profile"),
            (
                "entries",
                "show: a list of objects: number, kind, time, action, result, reason, provider, method, account, actor,"
                    + " device, process, count"
            ),
            ("lines", "verify: how many there are"),
            ("findings", "verify: a list of what is wrong; empty if nothing is"),
            ("erased", "erase: how many lines; absent if all were"),
        ],
        options: [.loggedAccount, .eraseAnyway, .profile, .json],
        operands: [
            Operand(
                placeholder: "ACTION", kind: .words(["show", "verify", "export", "erase"]), count: .optional,
                help: "What to do; show by default")
        ],
        run: { invocation in
            let desk = try LogDesk(invocation)
            switch invocation.arguments.operands.first {
            case "verify": return try await desk.verify()
            case "export": try invocation.console.write(.output, try await desk.log.export())
            case "erase": try await desk.erase()
            default: try await desk.show()
            }
            return .success
        })
}

/// Works with the security log of one profile.
private struct LogDesk {
    let invocation: Invocation
    /// The name of the profile.
    let name: String
    /// `nil` where nothing but the log is left: of a first sign-in that failed, or of a profile that was removed.
    let profile: Profile?
    let log: AuditLog

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        let name = try invocation.profileName() ?? "default"
        let known = try? invocation.profiles().profile(name)
        profile = try known ?? (Self.isThere(name, invocation) ? nil : invocation.profile())
        self.name = profile?.name ?? name
        log = try invocation.securityLog(of: self.name)
    }

    private static func isThere(_ name: String, _ invocation: Invocation) throws -> Bool {
        guard ProfileName.isValid(name) else { return false }
        let directory = try DataFolder(invocation.environment).log(of: name)
        return try TrustedDirectory.open(directory, .own, in: invocation.world.files) != nil
    }

    func show() async throws {
        let account = try await account()
        let entries = try await log.entries(of: account?.id)
        if entries.isEmpty { try account?.demandKnown() }
        try invocation.show(
            ["profile": .string(name), "entries": .array(entries.map(\.json))],
            entries.isEmpty
                ? [invocation.texts("log.empty", ["profile": name])]
                : entries.map { $0.line(invocation.texts) })
    }

    func verify() async throws -> ExitStatus {
        let report = try await log.verify()
        try invocation.show(
            [
                "profile": .string(name), "lines": .integer(Int64(report.lines)),
                "findings": .array(report.findings.map { .string($0.text(.english)) }),
            ],
            report.isWhole
                ? [invocation.texts("log.whole", ["lines": "\(report.lines)"])]
                : report.findings.map { $0.text(invocation.texts) })
        return report.isWhole ? .success : .store
    }

    func erase() async throws {
        guard invocation.arguments.has(.eraseAnyway) else {
            throw UsageError(
                "usage.eraseLog", ["profile": name],
                hint: ToolText("hint.eraseLog", ["command": invocation.line("log export", for: name)]))
        }
        if let account = try await account() {
            let count = try await log.erase(account.id)
            if count == 0 { try account.demandKnown() }
            try invocation.show(
                ["profile": .string(name), "erased": .integer(Int64(count))],
                [invocation.texts("log.erasedLines", ["count": "\(count)"])])
        } else {
            try await log.eraseAll()
            if profile == nil { try removeFolder() }
            try invocation.show(
                ["profile": .string(name)], [invocation.texts("log.erasedAll", ["profile": name])])
        }
    }

    /// Removes what only a profile that is not there would need.
    private func removeFolder() throws {
        let parts = try DataFolder(invocation.environment).log(of: name).split(separator: "/")
        let above = "/" + parts.dropLast().joined(separator: "/")
        guard let place = try TrustedDirectory.open(above, .own, in: invocation.world.files) else { return }
        try DirectoryRemoval.remove(name, in: place.files)
    }

    /// An account that the command line names.
    private struct Named {
        var id: AccountID
        var text: String
        /// Whether the profile knows it. One that has signed out is known by its ID only.
        var isKnown: Bool

        /// Refuses a name that is nobody's: the log has no line about it either.
        func demandKnown() throws {
            guard !isKnown else { return }
            throw ToolError(.configuration(.invalid), "error.nobodyLogged", ["account": text])
        }
    }

    /// The account in `--account`.
    private func account() async throws -> Named? {
        guard let text = invocation.arguments[.loggedAccount] else { return nil }
        var known: [Account] = []
        if let profile { known = (try? await Workplace(invocation, profile, asking: false).accounts()) ?? [] }
        do {
            let found = try AccountChoice.find(
                text, among: known, listing: invocation.line("accounts", for: name))
            return Named(id: found.id, text: text, isKnown: true)
        } catch let error as UsageError {
            throw error
        } catch { return Named(id: AccountID(text), text: text, isKnown: false) }
    }
}

extension AuditEntry {
    fileprivate var json: JSON {
        var members: [String: JSON] = ["number": .integer(number), "kind": .string(kind.rawValue)]
        members["time"] = time.map { .string(AccountReport.text($0)) }
        let texts: [(String, String?)] = [
            ("action", action), ("result", result), ("reason", reason), ("provider", provider), ("method", method),
            ("account", account), ("actor", actor), ("device", device),
        ]
        for (name, text) in texts { members[name] = text.map { .string($0) } }
        members["process"] = process.map { .integer($0) }
        members["count"] = count.map { .integer($0) }
        return .object(members)
    }

    fileprivate func line(_ texts: ToolTexts) -> String {
        let count = ["count": "\(count ?? 0)"]
        let words: [String?] =
            switch kind {
            case .event: [action, result, reason, method, provider, account]
            case .start: [texts("log.start")]
            case .dropped: [texts("log.dropped", count)]
            case .erased: [texts("log.erased", count)]
            case .broken: [texts("log.broken", count)]
            }
        return ([time.map(AccountReport.text) ?? "-"] + words.compactMap(\.self)).joined(separator: "  ")
    }
}

extension AuditReport.Finding {
    fileprivate func text(_ texts: ToolTexts) -> String {
        switch self {
        case .altered(let line): texts("log.altered", ["line": "\(line)"])
        case .missing(let number, let count): texts("log.missing", ["number": "\(number)", "count": "\(count)"])
        case .disordered(let line): texts("log.disordered", ["line": "\(line)"])
        case .noStart: texts("log.noStart")
        case .cutOff(let count): texts("log.cutOff", ["count": "\(count)"])
        case .noHead: texts("log.noHead")
        case .reported(let count): texts("log.reported", ["count": "\(count)"])
        case .earlier(let count): texts("log.earlier", ["count": "\(count)"])
        }
    }
}
