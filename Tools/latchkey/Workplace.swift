import Latchkey

/// A profile and the client that works with it.
struct Workplace: Sendable {
    /// The command's invocation.
    let invocation: Invocation
    /// The profile in use.
    let profile: Profile
    /// The places of the profile's sessions.
    let places: Places
    /// The store with the session.
    let store: any CrossProcessStore
    private let secret: Secret?
    /// The client. Its provider has the client's secret only if that was read before.
    let client: AuthClient

    /// Creates a workplace whose client can do everything that needs no client secret.
    ///
    /// - Parameter following: Whether the client watches for changes by other processes.
    /// - Parameter asking: Whether the person may be asked to unlock the store. If not, calls that need it throw
    ///   `locked`.
    init(_ invocation: Invocation, _ profile: Profile, following: Bool = false, asking: Bool = true) throws {
        try self.init(invocation, profile, secret: nil, refreshing: .onDemand, following: following, asking: asking)
    }

    /// Creates a workplace whose client can refresh. Asks for the client's secret if there is one.
    ///
    /// - Parameter leaving: Whether the session only ends. Then it may be in a weaker place than the minimum, and the
    ///   secret may be missing: what the service is owed stays owed.
    static func open(
        _ invocation: Invocation, _ profile: Profile, refreshing: EngineSettings.RefreshPolicy = .onDemand,
        leaving: Bool = false
    ) async throws -> Workplace {
        if !leaving { try PlaceRule(invocation: invocation).check(profile) }
        let secret =
            try await leaving
            ? ClientSecrets.ifThere(for: profile, in: invocation) : ClientSecrets.obtain(for: profile, in: invocation)
        // A client that stays must know what other processes do meanwhile.
        return try Workplace(
            invocation, profile, secret: secret, refreshing: refreshing, following: refreshing == .ahead, asking: true)
    }

    private init(
        _ invocation: Invocation, _ profile: Profile, secret: Secret?, refreshing: EngineSettings.RefreshPolicy,
        following: Bool, asking: Bool
    ) throws {
        self.invocation = invocation
        self.profile = profile
        self.secret = secret
        places = try Places(invocation, profile)
        store = try places.store(asking: asking)
        client = try Composition.client(
            for: profile, secret: secret, over: store, refreshing: refreshing,
            following: following,
            in: invocation)
        invocation.clients.add(client)
    }

    /// Creates a workplace that ends what can be read, without asking the person for anything.
    static func leaving(_ invocation: Invocation, _ profile: Profile) async throws -> Workplace {
        let secret =
            profile.clientSecret == .prompt ? nil : try await ClientSecrets.ifThere(for: profile, in: invocation)
        return try Workplace(
            invocation, profile, secret: secret, refreshing: .onDemand, following: false, asking: false)
    }

    /// Creates a workplace that can refresh and asks the person for nothing, for the agent.
    ///
    /// - Throws: `configuration(unsupported)` for a client secret that only the caller can have.
    static func answering(_ invocation: Invocation, _ profile: Profile) throws -> Workplace {
        try PlaceRule(invocation: invocation).check(profile)
        let secret: Secret?
        switch profile.clientSecret {
        case .none: secret = nil
        case .file(let path): secret = try ClientSecrets.read(path, for: profile, in: invocation)
        case .environment, .prompt:
            throw AuthError(.configuration(.unsupported), "the agent has no client secret of this profile")
        }
        return try Workplace(
            invocation, profile, secret: secret, refreshing: .onDemand, following: false, asking: false)
    }

    /// Signs out at the service what can still be read of records that were set aside, and says so. The person's session is
    /// over, whatever comes of it.
    func endSetAside() async throws {
        let (told, untold) = try await DamagedRecords.signOut(places) { store in
            try Composition.client(
                for: profile, secret: secret, over: store, refreshing: .onDemand, following: false, in: invocation)
        }
        for (count, key) in [(told, "setAside.told"), (untold, "setAside.untold")] where count > 0 {
            invocation.console.note("latchkey: " + Console.printable(invocation.shown(key, ["count": "\(count)"])))
        }
    }

    /// Returns the accounts of the profile.
    func accounts() async throws(AuthError) -> [Account] {
        try await client.restore()
        return try await client.accounts()
    }

    /// Returns the account in `--account`; `nil` without the option, for the current account.
    func account(among accounts: @autoclosure () async throws -> [Account]) async throws -> Account? {
        guard let text = invocation.arguments[.account] else { return nil }
        return try await find(text, among: await accounts())
    }

    /// Finds the one of `accounts` that a person calls `text`.
    ///
    /// - Throws: As ``AccountChoice/find(_:among:)`` does; if it may be the account of a record that cannot be read,
    ///   what is wrong with that.
    func find(_ text: String, among accounts: [Account]) async throws -> Account {
        let listing = invocation.line("accounts", for: profile.name)
        do { return try AccountChoice.find(text, among: accounts, listing: listing) } catch let error as ToolError {
            throw try await client.unreadableRecords().first ?? error
        }
    }

    /// The audience in `--audience`.
    var audience: Audience { invocation.arguments[.audience].map { Audience($0) } ?? .standard }

    /// Returns a valid token as the options ask for, and its account.
    func token() async throws -> (AccessToken, AccountID?) {
        let accounts = try await accounts()
        let account = try await account(among: accounts)?.id ?? accounts.first { $0.isCurrent }?.id
        let token = try await waiting("progress.refreshing") { client throws(AuthError) in
            try await client.accessToken(
                for: audience, of: account, minimumValidity: invocation.arguments.duration(.minimumValidity))
        }
        try invocation.check(token)
        return (token, account)
    }

    /// Retries earlier sign-outs that did not reach the service.
    func settle() async {
        guard let owed = try? await client.owedRevocations(), owed > 0 else { return }
        // The command `latchkey status` shows the result.
        try? await waiting("progress.settling") { client throws(AuthError) in
            try await client.settleRevocations()
        }
    }

    /// Runs `work`, and says so on a terminal if it takes longer than a second.
    @discardableResult
    func waiting<Result: Sendable>(
        _ key: String, _ work: (AuthClient) async throws(AuthError) -> Result
    ) async throws(AuthError) -> Result {
        let progress = Progress(invocation.texts(key), invocation)
        defer { progress.end() }
        return try await work(client)
    }
}

extension Invocation {
    /// Says what is wrong with a token that the options asked for.
    ///
    /// - Throws: ``ToolError`` if it does not last as long as asked for, with `--strict`.
    func check(_ token: AccessToken) throws {
        try checkValidity(of: token)
        let audience = arguments[.audience].map { Audience($0) } ?? .standard
        guard let others = TokenAudience.others(than: audience, in: token.value) else { return }
        let login = "login --param audience=\(audience.name.quotedForShell)"
        let words = shown(
            "token.otherAudience",
            [
                "named": others.joined(separator: ", "), "audience": audience.name,
                "command": (try? profile()).map { line(login, for: $0.name) } ?? "latchkey \(login)",
            ])
        console.note("latchkey: \(Console.printable(words))")
    }

    private func checkValidity(of token: AccessToken) throws {
        let asked = arguments.duration(.minimumValidity)
        guard let problem = TokenReport(token, world).shortfall(of: asked, isStrict: arguments.has(.strict)) else {
            return
        }
        if arguments.has(.strict) { throw problem }
        console.note(ErrorReport(problem, shown).lines[0])
    }
}
