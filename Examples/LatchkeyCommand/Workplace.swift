import Latchkey

/// A profile and the client that works with it.
struct Workplace: Sendable {
    /// What it works for.
    let invocation: Invocation
    /// The profile in use.
    let profile: Profile
    /// Where the sessions of the profile are.
    let places: Places
    /// The store there.
    let store: any CrossProcessStore
    /// The client. Its provider has the client's secret only where it was obtained before.
    let client: AuthClient

    /// A workplace whose client can do everything that needs no client secret.
    ///
    /// - Parameter following: Whether it listens to what other processes do.
    /// - Parameter asking: Whether a person may be asked to unlock the store; else what needs it throws `locked`.
    init(_ invocation: Invocation, _ profile: Profile, following: Bool = false, asking: Bool = true) throws {
        try self.init(invocation, profile, secret: nil, refreshing: .onDemand, following: following, asking: asking)
    }

    /// A workplace for `profile` whose client can refresh, which asks for the client's secret where there is one.
    ///
    /// - Parameter leaving: Whether the session only ends: then it may be in a weaker place than is demanded.
    static func open(
        _ invocation: Invocation, _ profile: Profile, refreshing: EngineSettings.RefreshPolicy = .onDemand,
        leaving: Bool = false
    ) async throws -> Workplace {
        if !leaving { try PlaceRule(invocation: invocation).check(profile) }
        let secret = try await ClientSecrets.obtain(for: profile, in: invocation)
        // A client that stays shall know what others do meanwhile.
        return try Workplace(
            invocation, profile, secret: secret, refreshing: refreshing, following: refreshing == .ahead, asking: true)
    }

    private init(
        _ invocation: Invocation, _ profile: Profile, secret: Secret?, refreshing: EngineSettings.RefreshPolicy,
        following: Bool, asking: Bool
    ) throws {
        self.invocation = invocation
        self.profile = profile
        places = try Places(invocation, profile)
        store = try places.store(asking: asking)
        client = try Composition.client(
            for: profile, secret: secret, over: store, refreshing: refreshing,
            following: following,
            in: invocation)
    }

    /// The accounts of the profile.
    func accounts() async throws(AuthError) -> [Account] {
        try await client.restore()
        return try await client.accounts()
    }

    /// The account that `--account` names; `nil` when it is not given: the current one.
    func account(among accounts: @autoclosure () async throws -> [Account]) async throws -> Account? {
        guard let text = invocation.arguments[.account] else { return nil }
        return try AccountChoice.find(text, among: await accounts())
    }

    /// What `--audience` names.
    var audience: Audience { invocation.arguments[.audience].map { Audience($0) } ?? .standard }

    /// A good token as the options want it, and whose it is.
    func token() async throws -> (AccessToken, AccountID?) {
        let accounts = try await accounts()
        let account = try await account(among: accounts)?.id ?? accounts.first { $0.isCurrent }?.id
        let token = try await waiting("progress.refreshing") { client throws(AuthError) in
            try await client.accessToken(
                for: audience, of: account, minimumValidity: invocation.arguments.duration(.minimumValidity))
        }
        return (token, account)
    }

    /// Tells the service of earlier sign-outs that it could not be told, as far as it can be reached now.
    func settle() async {
        guard let owed = try? await client.owedRevocations(), owed > 0 else { return }
        // What became of it is for "latchkey status" to say.
        try? await waiting("progress.settling") { client throws(AuthError) in
            try await client.settleRevocations()
        }
    }

    /// Does `work`, and says so on a terminal when it takes longer than a second.
    @discardableResult
    func waiting<Result: Sendable>(
        _ key: String, _ work: (AuthClient) async throws(AuthError) -> Result
    ) async throws(AuthError) -> Result {
        let progress = Progress(invocation.texts(key), invocation)
        defer { progress.end() }
        return try await work(client)
    }
}
