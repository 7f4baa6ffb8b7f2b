import Latchkey
import LatchkeyJSON

extension Command {
    static let refresh = Command(
        name: "refresh", summary: "Refreshes the access token now",
        output: [
            ("accessUntil", "When the new token ends; absent where the service does not say"),
            ("account", "The account's id"), ("profile", "The profile"),
        ],
        options: [.now, .audience, .account, .verbose, .profile, .json],
        run: { invocation in
            let workplace = try await Workplace.open(invocation, invocation.profile())
            let accounts = try await workplace.accounts()
            let account = try await workplace.account(among: accounts)
            try await refresh(account?.id, workplace, ignoresPause: invocation.arguments.has(.now))
            let refreshed = try await workplace.accounts().first {
                $0.id == account?.id || (account == nil && $0.isCurrent)
            }
            let report = refreshed.map { AccountReport(account: $0, now: invocation.world.clock.wall()) }
            var members: [String: JSON] = ["profile": .string(workplace.profile.name)]
            members["account"] = report?.json["account"]
            members["accessUntil"] = report?.json["accessUntil"]
            let (texts, until) = (invocation.texts, report?.until(invocation.texts))
            try invocation.show(
                .object(members),
                [until.map { texts("refreshed.until", ["until": $0]) } ?? texts("refreshed")])
            return .success
        })

    private static func refresh(
        _ account: AccountID?, _ workplace: Workplace, ignoresPause: Bool
    ) async throws {
        let result: Result<Void, any Error>
        do {
            try await workplace.waiting("progress.refreshing") { client throws(AuthError) in
                try await client.refresh(for: workplace.audience, of: account, ignoresPause: ignoresPause)
            }
            result = .success(())
        } catch { result = .failure(error) }
        switch result {
        // The service may not know yet that the last account has left.
        case .success: await workplace.settle()
        case .failure(let error as AuthError) where error.code == .signInRequired(.signedOut): await workplace.settle()
        case .failure: break
        }
        try result.get()
    }
}
