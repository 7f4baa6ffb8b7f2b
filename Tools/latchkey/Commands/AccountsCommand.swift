import Latchkey
import LatchkeyJSON

extension Command {
    static let accounts = Command(
        name: "accounts", summary: "Lists the accounts of a profile",
        output: [
            ("accounts", "A list of objects, each as \"latchkey status\" shows it"), ("profile", "The profile"),
            ("problem", "code and message of a record of another account that cannot be read; absent without one"),
        ],
        options: [.names, .profile, .json],
        run: { invocation in
            let workplace = try Workplace(invocation, invocation.profile())
            // An id only where names are not enough to tell accounts apart.
            let now = invocation.world.clock.wall()
            let reports = try await workplace.accounts().map { AccountReport(account: $0, now: now) }
            if invocation.arguments.has(.names) {
                // For a shell: an account whose name may be no word there has its id.
                for report in reports {
                    guard let word = ForeignText.word(report.word) ?? ForeignText.word(report.account.id.value) else {
                        continue
                    }
                    try invocation.console.say(word)
                }
                return .success
            }
            let problems = try await workplace.client.unreadableRecords()
            var members: [String: JSON] = [
                "accounts": .array(reports.map { .object($0.json) }), "profile": .string(workplace.profile.name),
            ]
            members["problem"] = problems.first.map(ErrorReport.short)
            let lines =
                reports.isEmpty
                ? [invocation.texts("accounts.none")]
                : Columns.lines(
                    reports.map {
                        (
                            "\($0.account.isCurrent ? "*" : " ") \($0.name(invocation.texts))",
                            $0.words(invocation.texts) + (isAmbiguous($0, reports) ? "  \($0.account.id)" : "")
                        )
                    })
            try invocation.show(
                .object(members),
                lines + problems.map { problem(ErrorReport($0, invocation.texts), invocation.texts) })
            return .success
        })

    private static func problem(_ report: ErrorReport, _ texts: ToolTexts) -> String {
        "  \(texts("label.problem")): \(report.message)"
    }

    private static func isAmbiguous(_ report: AccountReport, _ all: [AccountReport]) -> Bool {
        all.count(where: { $0.word == report.word || $0.account.label == nil && report.account.label == nil }) > 1
    }

    static let switchAccount = Command(
        name: "switch", summary: "Makes another account the current one",
        output: [("account", "The account's id"), ("profile", "The profile")],
        options: [.profile, .json],
        operands: [
            Operand(
                placeholder: "ACCOUNT", kind: .account, count: .one,
                help: "An id, or the name that \"latchkey accounts\" shows")
        ],
        run: { invocation in
            let workplace = try Workplace(invocation, invocation.profile())
            let account = try await workplace.find(
                invocation.arguments.operands.first ?? "", among: await workplace.accounts())
            try await workplace.client.switchAccount(to: account.id)
            try invocation.show(
                ["account": .string(account.id.value), "profile": .string(workplace.profile.name)],
                [
                    invocation.texts(
                        "accounts.current",
                        ["account": AccountReport.name(account.label, account.id, invocation.texts)])
                ])
            return .success
        })
}
