import Latchkey
import LatchkeyJSON

extension Option {
    static let everywhere = flag("everywhere", "Ends the person's other sessions too, where the service can")
}

extension Command {
    static let logout = Command(
        name: "logout", summary: "Signs out here, and tells the service",
        details: [
            "The session is always removed from this machine. If the service cannot be reached, it is told by the"
                + " next login, refresh or logout that reaches it; \"latchkey status\" shows what is left."
        ],
        examples: [Example("latchkey logout", "manual.example.logout")],
        output: [
            ("profile", "The profile"), ("result", "revoked, revocationQueued, localOnly or nothingToDo"),
        ],
        options: [.everywhere, .account, .verbose, .profile, .json],
        run: { invocation in
            let workplace = try await Workplace.open(invocation, invocation.profile(), leaving: true)
            let account = try await workplace.account(among: await workplace.accounts())
            let scope: SignOutScope = invocation.arguments.has(.everywhere) ? .everywhere : .thisSession
            await workplace.settle()
            let result = try await workplace.waiting("progress.signingOut") { client throws(AuthError) in
                try await client.signOut(of: account?.id, scope: scope)
            }
            try invocation.show(
                ["profile": .string(workplace.profile.name), "result": .string(name(result))],
                [words(result, invocation.texts)])
            return .success
        })

    private static func name(_ result: SignOutResult) -> String {
        switch result {
        case .revoked: "revoked"
        case .revocationQueued: "revocationQueued"
        case .localOnly: "localOnly"
        case .nothingToDo: "nothingToDo"
        }
    }

    private static func words(_ result: SignOutResult, _ texts: ToolTexts) -> String {
        switch result {
        case .revoked: texts("logout.revoked")
        case .revocationQueued: texts("logout.queued")
        case .localOnly: texts("logout.local")
        case .nothingToDo: texts("logout.nobody")
        }
    }
}
