import FoundationEssentials
import Latchkey
import LatchkeyJSON

extension Option {
    static let everywhere = flag("everywhere", "Ends the person's other sessions too, where the service can")
    static let others = flag("others", "Ends the person's other sessions and keeps this one, where the service can")
}

extension Command {
    static let logout = Command(
        name: "logout", summary: "Signs out here, and tells the service",
        details: [
            "The session is always removed from this machine. If the service cannot be reached, it is told by the"
                + " next login, refresh or logout of the profile that reaches it, for seven days;"
                + " \"latchkey status\" shows what is left.",
            "With --others this session stays, and the service ends the person's other ones: on other machines, in other"
                + " programs, in browsers. The access tokens that those have are good until they end by themselves.",
        ],
        examples: [Example("latchkey logout", "manual.example.logout")],
        output: [
            ("profile", "The profile"),
            ("result", "revoked, revocationQueued, revocationRefused, localOnly or nothingToDo"),
            ("account", "Who was signed out, with --others elsewhere; absent if nobody was"),
            ("current", "Who is the current account now; absent if nobody is"),
            (
                "triedUntil",
                "With revocationQueued: until when the service is told by a later command, RFC 3339, UTC"
            ),
        ],
        options: [.everywhere, .others, .account, .verbose, .profile, .json],
        run: { invocation in
            guard !invocation.arguments.has(.others) else { return try await endOthers(invocation) }
            let workplace = try await Workplace.open(invocation, invocation.profile(), leaving: true)
            let accounts: [Account]
            do throws(AuthError) { accounts = try await workplace.accounts() } catch {
                // A record that cannot be read does not keep the others from ending.
                guard case .store = error.code else { throw error }
                accounts = []
            }
            let account = try await workplace.account(among: await workplace.accounts())
            let leaving = account ?? accounts.first { $0.isCurrent }
            let scope: SignOutScope = invocation.arguments.has(.everywhere) ? .everywhere : .thisSession
            await workplace.settle()
            let result = try await workplace.waiting("progress.signingOut") { client throws(AuthError) in
                try await client.signOut(of: account?.id, scope: scope)
            }
            // A copy that was set aside has the tokens of a session, too.
            let isLast = (try? await workplace.accounts().isEmpty) ?? false
            var left: (any Error)?
            do {
                if isLast { try await workplace.endSetAside() }
                try await DamagedRecords.remove(workplace.places, ofAbsent: !isLast)
            } catch { left = error }
            // The session is gone, whatever this says.
            let end = result == .revocationQueued ? try? await workplace.client.owedRevocationsEnd() : nil
            var members: [String: JSON] = [
                "profile": .string(workplace.profile.name), "result": .string(name(result)),
            ]
            members["triedUntil"] = end.map { .string(AccountReport.text($0)) }
            members["account"] = leaving.map { .string($0.id.value) }
            let current = (try? await workplace.client.accounts())?.first { $0.isCurrent }
            members["current"] = current.map { .string($0.id.value) }
            try invocation.show(.object(members), [words(result, until: end, invocation)])
            for line in names(leaving, current, workplace) where !invocation.arguments.has(.json) {
                invocation.console.note("latchkey: \(Console.printable(line))")
            }
            if let left { throw left }
            return .success
        })

    /// Ends the person's other sessions. Nothing is removed here.
    private static func endOthers(_ invocation: Invocation) async throws -> ExitStatus {
        guard !invocation.arguments.has(.everywhere) else {
            throw UsageError("usage.onlyOne", ["first": "--others", "second": "--everywhere"], command: .logout)
        }
        let workplace = try await Workplace.open(invocation, invocation.profile())
        let accounts = try await workplace.accounts()
        let account = try await workplace.account(among: accounts) ?? accounts.first { $0.isCurrent }
        guard let account else { throw AuthError(.signInRequired(.signedOut), "Nobody is signed in.") }
        do throws(AuthError) {
            _ = try await workplace.waiting("progress.signingOut") { client throws(AuthError) in
                try await client.signOut(of: account.id, scope: .others)
            }
        } catch {
            throw noOthers(error, workplace)
        }
        let name = AccountReport.name(account.label, account.id, invocation.texts)
        try invocation.show(
            [
                "profile": .string(workplace.profile.name), "result": "revoked", "account": .string(account.id.value),
                "current": accounts.first { $0.isCurrent }.map { .string($0.id.value) } ?? .null,
            ],
            [invocation.texts("logout.others", ["account": name, "profile": workplace.profile.name])])
        return .success
    }

    /// Says it in the tool's words if the service has no such request.
    private static func noOthers(_ error: AuthError, _ workplace: Workplace) -> any Error {
        guard error.code == .configuration(.unsupported) else { return error }
        guard error.serviceCode == nil else {
            // The service knows the request; it is this session that is over.
            var over = error
            over.code = .signInRequired(.refused)
            return over
        }
        let name = workplace.profile.name
        return ToolError(
            error.code, "error.noOthers", ["profile": name],
            hint: ToolText("hint.noOthers", ["command": workplace.invocation.line("logout", for: name)]))
    }

    /// Who left, and who is the current account now.
    private static func names(_ leaving: Account?, _ current: Account?, _ workplace: Workplace) -> [String] {
        let texts = workplace.invocation.texts
        func name(_ account: Account) -> String { AccountReport.name(account.label, account.id, texts) }
        let left = leaving.map {
            texts("logout.who", ["account": name($0), "profile": workplace.profile.name])
        }
        return [left, current.map { texts("logout.current", ["account": name($0)]) }].compactMap(\.self)
    }

    private static func name(_ result: SignOutResult) -> String {
        switch result {
        case .revoked: "revoked"
        case .revocationQueued: "revocationQueued"
        case .revocationRefused: "revocationRefused"
        case .localOnly: "localOnly"
        case .nothingToDo: "nothingToDo"
        }
    }

    private static func words(_ result: SignOutResult, until end: Date?, _ invocation: Invocation) -> String {
        let texts = invocation.texts
        switch result {
        case .revoked: return texts("logout.revoked")
        case .revocationQueued:
            guard let end else { return texts("logout.queued") }
            let date = AccountReport.describe(end, from: invocation.world.clock.wall(), texts)
            return texts("logout.queuedUntil", ["date": date])
        case .revocationRefused: return texts("logout.refused")
        case .localOnly: return texts("logout.local")
        case .nothingToDo: return texts("logout.nobody")
        }
    }
}
