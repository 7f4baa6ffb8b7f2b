import FoundationEssentials
import Latchkey
import LatchkeyJSON

/// An account as `status`, `accounts` and `login` show it.
struct AccountReport {
    var account: Account
    /// The time to count from.
    var now: Date

    /// The member with the name, for the help.
    static let label = (
        member: "label",
        meaning: "A name to show, \"guest\" and the start of the id for a guest; absent where the service gives none"
    )

    /// The members of the JSON output, for the help.
    static let members: [(member: String, meaning: String)] = [
        ("account", "The account's id; usable with --account"),
        label,
        ("state", "fresh, stale, offline, locked, signedOut, restoring, clientRefused, or signInRequired.REASON"),
        (
            "clientRefused",
            "true if the service refused this client at the last refresh, so that no new token can be had; else absent"
        ),
        ("current", "Whether it is the current account"),
        ("accessUntil", "When the access token ends, RFC 3339, UTC; absent where there is none"),
        (
            "sessionUntil",
            "When the refresh token ends, and the session with it, RFC 3339, UTC; absent where the service does not say"
        ),
        (
            "refreshable",
            "false if the service gave no refresh token, so that the session ends with its access token; else absent"
        ),
        ("authenticatedAt", "When the person last proved who they are; absent where unknown"),
        ("pendingRevocations", "How many sign-outs the service has not been told yet"),
    ]

    var json: [String: JSON] {
        var members: [String: JSON] = [
            "account": .string(account.id.value), "state": .string(state), "current": .bool(account.isCurrent),
            "pendingRevocations": .integer(Int64(account.pendingRevocations)),
        ]
        members["clientRefused"] = account.isClientRefused ? true : nil
        members["label"] = account.label.map { .string($0) }
        members["accessUntil"] = account.accessUntil.map { .string(Self.text($0)) }
        members["sessionUntil"] = account.sessionUntil.map { .string(Self.text($0)) }
        members["refreshable"] = account.isRefreshable ? nil : false
        members["authenticatedAt"] = account.authenticatedAt.map { .string(Self.text($0)) }
        return members
    }

    /// What is shown for the account: its name, or else its id at the service, if that says more than nothing.
    func name(_ texts: ToolTexts) -> String { Self.name(account.label, account.id, texts) }

    /// What is shown for an account with that label and id.
    static func name(_ label: String?, _ id: AccountID, _ texts: ToolTexts) -> String {
        if let label { return guest(label, id).map { texts("account.guest", ["id": $0]) } ?? label }
        guard !id.isUnnamed, !hasRandomName(id) else { return texts("account.unnamed") }
        return texts("account.subject", ["id": subject(of: id)])
    }

    /// The start of a guest's id, if `label` is the one that a guest without a name has.
    private static func guest(_ label: String, _ id: AccountID) -> String? {
        let front = "guest "
        let short = label.dropFirst(front.count)
        guard label.hasPrefix(front), short.count == 8, subject(of: id).lowercased().hasPrefix(short) else {
            return nil
        }
        return String(short)
    }

    /// The id at the service: what follows the provider and the authority. Where several tenants share an authority, the
    /// tenant comes before it.
    private static func subject(of id: AccountID) -> String {
        let parts = id.value.split(separator: " ", maxSplits: 2)
        guard parts.count == 3 else { return id.value }
        let ofTenant = parts[2].split(separator: " ", maxSplits: 1)
        return String(ofTenant.count == 2 && ofTenant[0].hasPrefix("https://") ? ofTenant[1] : parts[2])
    }

    /// Whether the id ends in 32 hexadecimal digits, as those of earlier versions did where the service named nobody.
    private static func hasRandomName(_ id: AccountID) -> Bool {
        let last = (id.value.split(separator: " ").last ?? "").utf8
        return last.count == 32 && last.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// What --account takes: the name, or else the id.
    var word: String { account.label ?? account.id.value }

    /// Whether the client is refused, and the last access token has ended: nothing can be had.
    var isStuck: Bool { account.isClientRefused && account.state == .stale && account.accessUntil == nil }

    /// The error of a command that needs the session, if only the person or the service's operator can mend what is
    /// wrong: the claims are kept, but nothing can be had.
    var obstacle: AuthError? {
        let code: AuthError.Code
        switch account.state {
        case .signInRequired(let reason): code = .signInRequired(reason)
        case .signedOut: code = .signInRequired(.signedOut)
        default:
            guard isStuck else { return nil }
            code = .configuration(.clientRefused)
        }
        var error = AuthError(code, "", provider: account.provider)
        error.message = error.text(in: .english) + "."
        return error
    }

    /// The state in one word, for scripts.
    var state: String {
        if isStuck { return "clientRefused" }
        return switch account.state {
        case .restoring: "restoring"
        case .signedOut: "signedOut"
        case .locked: "locked"
        case .fresh: "fresh"
        case .stale: "stale"
        case .offline: "offline"
        case .signInRequired(let reason): "signInRequired.\(reason.rawValue)"
        }
    }

    /// What to do about a client that the service refuses; `nil` if it does not.
    func clientAdvice(profile: String, _ texts: ToolTexts) -> String? {
        guard account.isClientRefused else { return nil }
        return texts("clientRefused.advice", ["command": "latchkey refresh --profile \(profile)"])
    }

    /// The state for a person.
    func words(_ texts: ToolTexts = .english) -> String {
        if isStuck { return texts("state.clientRefused") }
        return switch account.state {
        case .restoring: texts("state.restoring")
        case .signedOut: texts("state.signedOut")
        case .locked: texts("state.locked")
        case .fresh: texts("state.fresh")
        case .stale: texts("state.stale")
        case .offline: texts("state.offline")
        case .signInRequired(let reason): texts("state.signInRequired", ["reason": reason.rawValue])
        }
    }

    /// The end of access, for a person.
    func until(_ texts: ToolTexts) -> String? {
        account.accessUntil.map { texts("until", ["date": Self.describe($0, from: now, texts)]) }
    }

    /// The end of the refresh token, for a person.
    func sessionEnds(_ texts: ToolTexts) -> String? {
        guard account.isRefreshable else { return texts("session.notRefreshable") }
        return account.sessionUntil.map { end in
            texts(end < now ? "session.ended" : "until", ["date": Self.describe(end, from: now, texts)])
        }
    }

    /// Says that nothing refreshes the session, and when it ends; `nil` if it can be refreshed.
    func notRefreshable(_ texts: ToolTexts) -> String? {
        guard !account.isRefreshable, let end = account.sessionUntil else { return nil }
        return texts("login.notRefreshable", ["date": Self.describe(end, from: now, texts)])
    }

    /// The exit status for this state.
    var status: ExitStatus {
        if isStuck { return .configuration }
        return switch account.state {
        case .fresh, .stale, .restoring: .success
        case .signedOut, .signInRequired: .signIn
        case .locked: .locked
        case .offline(_, let until): (until ?? now) > now ? .success : .later
        }
    }

    /// Returns the instant in RFC 3339, whole seconds, UTC.
    static func text(_ date: Date) -> String { Date.ISO8601FormatStyle().format(date) }

    /// Returns the instant and how far away it is.
    static func describe(_ date: Date, from now: Date, _ texts: ToolTexts = .english) -> String {
        let seconds = date.timeIntervalSince(now)
        let distance = Durations.describe(.seconds(Int64(min(abs(seconds), 1e10))))
        return "\(text(date)) (\(texts(seconds < 0 ? "ago" : "in", ["time": distance])))"
    }
}
