import LatchkeySystem

/// The one place per credential where a service's answer changes it or its sessions.
///
/// Its steps carry the numbers of `Documentation/Internals/Lane.md`, which says why each is there;
/// `Documentation/Internals/Token.md` draws the way of a token through them. One exchange runs at a time: the
/// turns of this process ensure that here, the store's lock across processes.
actor Lane {
    typealias Found = RecordPlace.Found

    let place: RecordPlace
    let accounts: Accounts
    private weak var owner: (any LaneOwner)?
    /// The refresh under way, which callers join.
    nonisolated let underWay = Locked<UnderWay?>(nil)
    /// Minting under way, side by side: `Documentation/Internals/Lane.md`, section 6.
    nonisolated let minting = Locked<[Mint: Flight<AccessToken>]>([:])
    var marks = MarkMemory() { didSet { noteKept() } }
    var unstored = UnstoredChanges() { didSet { noteKept() } }
    var logins = LoginMemory() { didSet { noteKept() } }
    var revocations = RevocationMemory() { didSet { noteKept() } }
    var refused = DiscardMemory() { didSet { noteKept() } }
    var shown = ShownRecord()
    /// What the store said when it took nothing last; `nil` once it has taken something.
    var storeTrouble: AuthError?
    /// Room for the answer to the request under way.
    var room: (any StoreReservation)?

    /// A refresh that callers wait for.
    struct UnderWay: Sendable {
        let flight: Flight<AccessToken>
        let want: Want
        /// The login that it is for, if that is known yet.
        var login: String?
        /// Whether a caller may join it. Not once another login is shown.
        var isOpen = true
    }

    init(_ place: RecordPlace, _ accounts: Accounts, owner: any LaneOwner) {
        self.place = place
        self.accounts = accounts
        self.owner = owner
    }

    nonisolated var key: StoreKey { place.key }
    nonisolated var services: Services { accounts.services }
    nonisolated var settings: EngineSettings { accounts.services.settings }
    nonisolated var context: PluginContext { place.context }
    nonisolated var clock: any AuthClock { place.context.clock }
    nonisolated var isShared: Bool { place.isShared }

    /// A name for something new.
    nonisolated func fresh() -> String { context.randomName() }

    /// How a mark names this process, for messages.
    static let me = "pid \(SystemProcesses.number)"

    /// How often a change of the record is tried again after a conflict.
    static var commitTries: Int { 100 }

    /// Tells the owner what it must keep: work under way and changes that are not stored outlast
    /// the client, and what only this lane knows keeps the lane.
    func noteKept() {
        let isFlying = underWay.withLock { $0 != nil } || !minting.withLock { $0.isEmpty }
        let owes = isFlying || place.locks.isTaken(key) || !unstored.isEmpty
        let remembers =
            !logins.unstoredEnds.isEmpty || !marks.isEmpty || revocations.failures > 0 || refused.isUnstored
        let trouble =
            unstored.isEmpty ? nil : storeTrouble ?? AuthError(.store(.notDurable), "The store has not taken it.")
        owner?.note(key, owes: owes, unstored: trouble, remembers: remembers)
    }

    /// Runs `work` in turn with every exchange that grants or revokes, if one revocation ends every grant.
    func alone<Value: Sendable>(
        _ grants: StoreKey, waits: Bool, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let owner else { throw CancellationError() }
        return try await owner.alone(grants, waits: waits, work)
    }

    /// Stores what was granted to `account` in the lane where it belongs, which may be another one, with what the
    /// service is still owed of the same credential. Returns that lane's key.
    func placeElsewhere(
        _ credential: Credential, of account: AccountID, login: String, contact offset: Duration,
        owing owed: [CredentialRecord.Pending]
    ) async throws(AuthError) -> StoreKey? {
        try await owner?.place(credential, of: account, login: login, contact: offset, owing: owed)
    }

    /// Ends `login` of `account` in the lane of `key`. What cannot be stored is tried again there.
    func signOutElsewhere(_ account: AccountID, login: String, at key: StoreKey) async {
        await owner?.signOut(account, login: login, at: key)
    }
}

/// KeyLocks: one exchange at a time.
extension Lane {
    /// Waits for the turn in this process, first come first served.
    func enter() async -> UInt64 {
        let ticket = await place.locks.enter(key)
        noteKept()
        return ticket
    }

    func leave(_ ticket: UInt64) {
        place.locks.leave(key, ticket)
        noteKept()
    }

    /// Takes the store's lock, which keeps other processes out.
    func hold(deadline: Duration) async throws -> any HeldLock { try await place.locks.hold(key, deadline: deadline) }

    /// Releases the store's lock, unless something that is not stored needs it.
    func letGo(_ hold: any HeldLock) async {
        if unstored.keep(hold) { return }
        await hold.release()
    }

    /// Runs `work` while nobody else, in any process, runs anything in this lane.
    ///
    /// - Parameter waits: Whether to wait until it is free. If not, this throws `busy` at once.
    func alone<Value: Sendable>(
        waits: Bool = true, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        let ticket = try await place.locks.enter(key, waits: waits)
        noteKept()
        defer { leave(ticket) }
        let hold = try await hold(deadline: waits ? settings.lockDeadline : .zero)
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        await letGo(hold)
        return try result.get()
    }
}
