import Latchkey
import LatchkeyAgent
import LatchkeyEncryptedStore
import LatchkeyJSON

extension Option {
    static let time = value("for", "DURATION", .duration, "How long the agent keeps the key; 15m if not given")
}

extension Command {
    static let usualAgentTime = Duration.seconds(900)

    static let unlock = Command(
        name: "unlock", summary: "Opens the encrypted sessions for a while, by an agent",
        details: [
            "Asks for the passphrase once. An agent of this user keeps the key, in memory alone, and opens and seals for"
                + " other commands; it hands the key out to nobody, and ends when the time is over, or by \"latchkey lock\".",
            "With --serve-tokens the agent also hands access tokens of the profile out to \"latchkey token\", \"exec\" and"
                + " \"credential\" of this user, and refreshes them. It reads the session for each, so that none is handed out"
                + " after a sign-out. \"latchkey agent serve --serve-tokens\" does so for a profile whose session is not"
                + " encrypted.",
            "With --confirm the agent asks you before it hands a token out or opens a file for a program, unless the program"
                + " has given the passphrase itself. It asks once for each process and for each of the two, and a no counts"
                + " for both. The question is shown by the program that LATCHKEY_ASKPASS or else SSH_ASKPASS names, as"
                + " ssh-agent does it; 30 seconds without an answer are a no. An agent that asks does so until it ends.",
        ],
        output: [("profile", "The profile"), ("seconds", "How long the agent keeps the key")],
        options: [.time, .serveTokens, .confirm, .passphraseFromInput, .profile, .json],
        run: { invocation in
            let profile = try invocation.profile()
            let vault = try encrypted(profile, invocation)
            let time = invocation.arguments.duration(.time) ?? usualAgentTime
            let header = try vault.store().status().header
            let isAsking = invocation.arguments.has(.confirm)
            let agent: AgentClient
            if let running = try await AgentProcess.running(invocation) {
                agent = running
            } else {
                agent = try vault.agent()
                if isAsking { try AgentQuestions(invocation).prepare() }
                try await AgentProcess.start(for: time, asking: isAsking)
            }
            if isAsking { try await agent.confirm() }
            try? AgentRecords(invocation).note(agent.place)
            let keeper = AgentKeeper(agent)
            if await !keeper.isOpen(header.id) {
                let store = vault.store(keptBy: keeper)
                do {
                    if try await !vault.openByHolder(store, header) { try await vault.openByAsking(store) }
                } catch {
                    // An agent that was started but has nothing to keep is stopped again.
                    if let status = try? await agent.status(), status.open.isEmpty { _ = try? await agent.stop() }
                    throw error
                }
            }
            try await agent.remember(for: time)
            if invocation.arguments.has(.serveTokens) {
                try await agent.serve(profile.name, of: TokenDesk.home(invocation.environment))
            }
            try invocation.show(
                ["profile": .string(profile.name), "seconds": .integer(time.wholeSecondsUp)],
                [invocation.texts("unlocked", ["time": Durations.describe(time)])])
            return .success
        })

    static let lock = Command(
        name: "lock", summary: "Ends the agent, which forgets every key",
        output: [("wasUnlocked", "Whether an agent was there")], options: [.json],
        run: { invocation in
            let wasThere = try await AgentProcess.stopAll(invocation)
            try invocation.show(
                ["wasUnlocked": .bool(wasThere)], [invocation.texts(wasThere ? "locked" : "locked.already")])
            return .success
        })

    static let agent = Command(
        name: "agent", summary: "Shows or ends the agent that \"latchkey unlock\" starts",
        output: [
            ("running", "status: whether it is there"), ("seconds", "status: how long it keeps its keys"),
            ("open", "status: how many files it has open"), ("wasUnlocked", "stop: whether it was there"),
        ],
        options: [.time, .serveTokens, .confirm, .profile, .json],
        operands: [
            Operand(
                placeholder: "ACTION", kind: .words(["status", "stop", AgentProcess.serve]), count: .one,
                help: "status, stop, or serve: to be the agent, in the foreground")
        ],
        run: { invocation in
            switch invocation.arguments.operands[0] {
            case "stop": return try await lock.run(invocation)
            case AgentProcess.serve:
                try await AgentProcess.run(
                    invocation, for: invocation.arguments.duration(.time) ?? usualAgentTime)
                return .success
            default: return try await show(AgentProcess.running(invocation)?.status(), invocation)
            }
        })

    private static func show(_ status: AgentClient.Status?, _ invocation: Invocation) throws -> ExitStatus {
        guard let status else {
            try invocation.show(["running": false], [invocation.texts("agent.none")])
            return .locked
        }
        let count = status.open.count
        try invocation.show(
            [
                "running": true, "seconds": .integer(status.rest.wholeSecondsUp), "open": .integer(Int64(count)),
            ],
            [
                invocation.texts(
                    count == 1 ? "agent.one" : "agent.running",
                    ["count": "\(count)", "time": Durations.describe(status.rest)])
            ])
        return .success
    }

    /// Returns the vault of `profile`.
    ///
    /// - Throws: `configuration(unsupported)` for a profile whose session is elsewhere.
    static func encrypted(_ profile: Profile, _ invocation: Invocation) throws -> ProfileVault {
        let places = try Places(invocation, profile)
        guard places.place == .encrypted else {
            throw ToolError(
                .configuration(.unsupported), "error.notEncrypted",
                [
                    "profile": profile.name, "place": places.place.name,
                    "command": invocation.line("store migrate --to encrypted", for: profile.name),
                ])
        }
        return places.vault()
    }
}
