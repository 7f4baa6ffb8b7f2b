import FoundationEssentials
import Latchkey
import LatchkeyAgent
import LatchkeyEncryptedStore
import LatchkeyPassphrase
import LatchkeySecretService

/// The encrypted file of one profile, and everything that may open it.
struct ProfileVault: Sendable {
    let invocation: Invocation
    let profile: Profile
    let directory: String
    /// Counts wrong passphrases, for all processes.
    let limit: AttemptLimit

    init(_ invocation: Invocation, _ profile: Profile, at directory: String, limits: String) {
        self.invocation = invocation
        self.profile = profile
        self.directory = directory
        limit = AttemptLimit(in: limits, name: "passphrase", context: invocation.world)
    }

    /// The store, whose keys are in this process, or with `keeper`.
    func store(keptBy keeper: (any VaultKeeper)? = nil) -> EncryptedFileStore {
        var options = VaultOptions()
        if let anchors = Self.anchors(invocation.environment) {
            options.anchors = [FileAnchor(in: anchors, context: invocation.world)]
        }
        return EncryptedFileStore(at: directory, keptBy: keeper, options: options, context: invocation.world)
    }

    /// Beside what is backed up with the data, as far as people keep the two apart.
    private static func anchors(_ environment: [String: String]) -> String? {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/latchkey/anchors" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/.local/state/latchkey/anchors"
    }

    /// Whether there is one.
    func isThere() async throws -> Bool {
        do {
            _ = try store().status()
            return true
        } catch let error as AuthError where error.code == .configuration(.invalid) {
            return false
        }
    }

    /// Whether it can be read without asking anybody: the agent has it open, or a holder has a key. `nil`: there is none.
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

    /// The store, open; a new one where there is none. By the agent, by a key that a holder has, or by asking.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `locked` where there is nobody to ask.
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
        if let rollback = store.lastRollback { invocation.console.note("latchkey: \(rollback.message)") }
        return store
    }

    /// Opens `store` by a key that nobody is asked for. Whether it is open.
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
                // Another way is left: somebody may know the passphrase.
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
            throw locked
        }
        return PassphraseUnlock(limit: limit, context: invocation.world) {
            try await Presenters.passphrase(for: $0.reason)
        }
    }

    private var locked: AuthError {
        invocation.failure(.locked, "error.locked", ["profile": profile.name])
    }

    /// A holder that this tool knows, and the name of the key there.
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
        case "environment": return (EnvironmentKeyHolder(invocation.environment), name)
        default: return nil
        }
    }

    /// Where an agent would listen.
    func agent() throws -> AgentClient { try AgentProcess.client(invocation) }

    /// A keeper at the agent, where one is there.
    func agentKeeper() async throws -> AgentKeeper? {
        let agent = try agent()
        return try await agent.status() == nil ? nil : AgentKeeper(agent)
    }
}

// MARK: Making one

extension ProfileVault {
    /// A new passphrase, from standard input or the terminal.
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
            throw UsageError("usage.noTerminalPassphrase", hint: ToolText("hint.passphraseInput"))
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

/// Lines of standard input that are secret.
enum SecretLines {
    static func next(_ invocation: Invocation) throws -> Secret? {
        guard let line = try invocation.console.readLine(4_096), !line.isEmpty else { return nil }
        return Secret(line)
    }
}
