import FoundationEssentials
import Latchkey
import LatchkeyAgent
import LatchkeyEncryptedStore
import LatchkeyPassphrase
import LatchkeySecretService

/// The encrypted file of one profile, and the ways to open it.
struct ProfileVault: Sendable {
    let invocation: Invocation
    let profile: Profile
    let directory: String
    /// Counts wrong passphrases across all processes.
    let limit: AttemptLimit

    init(_ invocation: Invocation, _ profile: Profile, at directory: String, limits: String) {
        self.invocation = invocation
        self.profile = profile
        self.directory = directory
        limit = AttemptLimit(in: limits, name: "passphrase", context: invocation.world)
    }

    /// Returns the store. Its keys are in this process, or in `keeper`.
    func store(keptBy keeper: (any VaultKeeper)? = nil) -> EncryptedFileStore {
        var options = VaultOptions()
        if let anchors = Self.anchors(invocation.environment) {
            options.anchors = [FileAnchor(in: anchors, context: invocation.world)]
        }
        return EncryptedFileStore(at: directory, keptBy: keeper, options: options, context: invocation.world)
    }

    /// Returns the directory for marks. It is separate from the data, so that a backup of the data usually does not
    /// have it.
    private static func anchors(_ environment: [String: String]) -> String? {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/latchkey/anchors" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/.local/state/latchkey/anchors"
    }

    /// Returns whether the file exists.
    func isThere() async throws -> Bool {
        do {
            _ = try store().status()
            return true
        } catch let error as AuthError where error.code == .configuration(.invalid) {
            return false
        }
    }

    /// Returns whether it can be read without asking the person, because the agent has it open or a holder has a
    /// key; `nil` if it does not exist.
    func isOpenForEverybody() async -> Bool? {
        guard let header = try? store().status().header else { return nil }
        if let keeper = try? await agentKeeper(), await keeper.isOpen(header.id) { return true }
        for slot in header.slots {
            guard case .key(let source, let name) = slot.kind, let (holder, short) = holder(source, name) else {
                continue
            }
            if (try? await holder.key(short)) ?? nil != nil { return true }
        }
        return false
    }

    /// Returns the open store, and makes it if there is none. It is opened by the agent, by a holder's key, or by
    /// asking.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `locked` if the person cannot be asked.
    func opened(asking: Bool = true) async throws -> EncryptedFileStore {
        let agent = try await agentKeeper()
        let store = store(keptBy: agent)
        guard try await isThere() else {
            guard asking else { throw locked }
            try await store.initialise(with: [NewSlot(UnlockKey(.passphrase, try await newPassphrase()))])
            return store
        }
        let header = try store.status().header
        if await agent?.isOpen(header.id) != true, try await !openByHolder(store, header) {
            guard asking else { throw locked }
            try await openByAsking(store)
        }
        // Where the agent has it open, nothing was read yet. What fails here fails again where it is read for its own sake.
        if store.lastRollback == nil { _ = try? await store.keys(.settings) }
        if let rollback = store.lastRollback { invocation.console.note("latchkey: \(rollback.message)") }
        return store
    }

    /// Opens `store` with a key that needs no question. Returns whether it is open.
    func openByHolder(_ store: EncryptedFileStore, _ header: VaultHeader) async throws -> Bool {
        for slot in header.slots {
            guard case .key(let source, let name) = slot.kind, let holder = holder(source, name) else { continue }
            do {
                guard let key = try await holder.holder.key(holder.name) else { continue }
                try await store.open(with: UnlockKey(.key(source: source), key))
                return true
            } catch let error as AuthError
                where [.locked, .store(.unavailable), .refused(.wrongInput)].contains(error.code)
            {
                // Try the next way: the person may know the passphrase.
                continue
            }
        }
        return false
    }

    /// Asks for the passphrase.
    func openByAsking(_ store: EncryptedFileStore) async throws {
        let unlock = try passphrase()
        _ = try await unlock.unlock(UnlockPrompt(reason: invocation.texts("unlock.reason", ["profile": profile.name])))
        {
            try await store.open(with: $0)
        }
    }

    private func passphrase() throws -> PassphraseUnlock {
        if invocation.arguments.has(.passphraseFromInput) {
            return PassphraseUnlock(limit: limit, context: invocation.world) { [invocation] _ in
                try SecretLines.next(invocation)
            }
        }
        guard Presenters.hasTerminal else {
            let question = invocation.shown(TerminalQuestion(.passphrase).text)
            throw invocation.failure(
                .locked, "error.noTerminalLocked", ["profile": profile.name, "question": question])
        }
        return PassphraseUnlock(limit: limit, context: invocation.world) {
            try await Presenters.passphrase(for: $0.reason)
        }
    }

    private var locked: AuthError {
        invocation.failure(.locked, "error.locked", ["profile": profile.name])
    }

    /// Returns a holder that this tool supports, and the key's name there.
    func holder(_ source: String, _ name: String) -> (holder: any KeyHolder, name: String)? {
        switch source {
        case "secret-service":
            return (
                SecretServiceKeyHolder(SecretServiceKeyring(application: "latchkey", context: invocation.world)), name
            )
        case "file":
            guard let slash = name.lastIndex(of: "/") else { return nil }
            return (
                FileKeyHolder(in: String(name[..<slash]), context: invocation.world),
                String(name[name.index(after: slash)...])
            )
        case "environment":
            SecretVariables.note(key: name)
            return (EnvironmentKeyHolder(invocation.environment), name)
        default: return nil
        }
    }

    /// Returns a client of the agent, which may not be running.
    func agent() throws -> AgentClient { try AgentProcess.client(invocation) }

    /// Returns a keeper at the agent, if that is running.
    func agentKeeper() async throws -> AgentKeeper? {
        try await AgentProcess.running(invocation).map { AgentKeeper($0) }
    }
}

extension ProfileVault {
    /// Returns how a command that reads passphrases itself is given one where there is no terminal; `nil` for every other
    /// error and command.
    static func hint(for error: AuthError, _ invocation: Invocation) -> ToolText? {
        let (arguments, option) = (invocation.arguments, Option.passphraseFromInput)
        guard error.code == .locked, arguments.command.options.contains(where: { $0.name == option.name }),
            !arguments.has(option), !Presenters.hasTerminal
        else { return nil }
        return ToolText("hint.questionInput", ["option": "--\(option.name)"])
    }
}

// MARK: Making one

extension ProfileVault {
    /// Reads a new passphrase from standard input or the terminal.
    func newPassphrase() async throws -> Secret {
        let rule = PassphraseRule()
        if invocation.arguments.has(.passphraseFromInput) {
            guard let passphrase = try SecretLines.next(invocation) else {
                throw UsageError(
                    "usage.noPassphraseLine", command: invocation.arguments.command)
            }
            try rule.check(passphrase)
            return passphrase
        }
        guard Presenters.hasTerminal else {
            throw TerminalQuestion(.newPassphrase).unasked()
        }
        let reason = invocation.texts("passphrase.reason", ["profile": profile.name])
        guard let passphrase = try await Presenters.newPassphrase(for: reason, shortest: rule.shortest) else {
            throw invocation.failure(.declined, "error.passphraseDeclined")
        }
        return passphrase
    }
}

extension Option {
    static let passphraseFromInput = flag(
        "passphrase-from-stdin", "Reads passphrases from standard input, a line each, instead of asking")
}

/// Reads secret lines from standard input.
enum SecretLines {
    static func next(_ invocation: Invocation) throws -> Secret? {
        guard let line = try invocation.console.readLine(4_096), !line.isEmpty else { return nil }
        return Secret(line)
    }
}
