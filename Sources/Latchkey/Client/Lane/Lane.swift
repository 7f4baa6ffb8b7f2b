import LatchkeyLocked

/// The one place per credential where a service's answer changes it or its sessions.
///
/// Its steps carry the numbers of `Documentation/Lane.md`, which says why each is there: refresh in `Lane+Refresh`,
/// what happens when a save is lost in `Lane+Save`, sign-out in `Lane+SignOut`, sign-in in `Lane+SignIn`, the worker
/// that settles revocations in `Lane+Worker`. Inside the process one exchange runs at a time; across processes the
/// store's lane sees to it.
actor Lane {
    let key: StoreKey
    let engine: Engine
    /// Whether its credential is one that several people share.
    nonisolated let isShared: Bool
    /// Minting under way, side by side: `Documentation/Lane.md`, section 6.
    nonisolated let minting = Locked<[Mint: Flight<AccessToken>]>([:])
    /// The exchange under way.
    private var flight: (Flight<AccessToken>, of: Want)? {
        didSet {
            boarding.withLock { $0 = flight }
            noteDebts()
        }
    }
    /// The same for those who come while it is under way: a crowd boards without passing the actor one by one.
    private nonisolated let boarding = Locked<(Flight<AccessToken>, of: Want)?>(nil)
    /// The login that the exchange under way is for, as far as it knows.
    private var flightLogin: String?
    private(set) var isBusy = false { didSet { noteDebts() } }
    private var waiting: [Flight<Void>] = []
    /// When this process first saw a mark, for marks whose own time cannot be trusted.
    var seenMarks: [String: MonotonicInstant] = [:] { didSet { noteDebts() } }
    /// The last marks of this process that no request left under, each with the one in whose place it was made.
    var unsentMarks: [(id: String, earlier: CredentialRecord.Mark?)] = [] { didSet { noteDebts() } }
    /// A credential that could not be stored yet, with the lane that is kept for it.
    var unsaved: Unsaved? { didSet { noteDebts() } }
    /// A refresh token that others need as well, and that could not be stored yet, with the lane that is kept for it.
    var unsavedToken: UnsavedToken? { didSet { noteDebts() } }
    /// A sign-in that could not be stored yet.
    var unsavedSignIn: UnsavedSignIn? { didSet { noteDebts() } }
    /// Sign-ins that are being stored at this moment, by their logins.
    var puts: [String: Flight<Void>] = [:]
    /// How many have come to an end.
    var putsDone = 0
    /// Sign-outs that could not be stored yet.
    var unsavedSignOuts: [UnsavedSignOut] = [] { didSet { noteDebts() } }
    /// How often in a row something owed to the service had to be left, and how long it asked to be left alone.
    var revocationFailures = 0 { didSet { noteDebts() } }
    var revocationPause = Duration.zero
    /// Logins whose access token the service does not take, though it should last: they are refreshed before revoking.
    var untaken: Set<String> = []
    /// The login whose revocation failed last: the next round begins behind it.
    var leftLogin: String?
    /// The version that callers see, or are about to be shown by whoever committed it.
    var shown: RecordVersion?
    /// The last reading.
    var lastRead: (writeID: String, version: RecordVersion)?
    /// Counts what was shown, so that an older reading is not shown over it.
    var epoch = 0
    /// Logins that this process made, which tells of them itself.
    var ownLogins: [String] = []
    /// Logins that ended through this process: nothing of them is shown again.
    private var ended: [String] = []
    /// Those of them of which the store may not know yet.
    private var unstoredEnds: Set<String> = [] { didSet { noteDebts() } }

    /// A change that the service made and the store has not taken.
    struct Unsaved: Sendable {
        var answer: Answered
        var want: Want
        var hold: any LaneHold
        var failures = 0
    }

    /// A refresh token that came in place of another, with something else than an answer.
    struct UnsavedToken: Sendable {
        var old: Secret
        var credential: Credential.ID
        var new: Secret
        var hold: (any LaneHold)?
        var failures = 0
    }

    /// A credential that was granted and that the store has not taken.
    struct UnsavedSignIn: Sendable {
        var credential: Credential
        var login: String
        var offset: Duration
        var failures = 0
    }

    /// A sign-out that the person was told of as failed.
    struct UnsavedSignOut: Sendable {
        var account: AccountID
        var login: String
        var scope: SignOutScope
        var cause: CredentialRecord.Ended.Cause
        var failures = 0
    }

    /// Which token a caller wants.
    struct Want: Hashable, Sendable {
        var account: AccountID
        var audience: Audience
    }

    init(_ key: StoreKey, _ engine: Engine) {
        self.key = key
        self.engine = engine
        isShared = engine.sharing(key) != nil
    }

    nonisolated var clock: any AuthClock { engine.clock }

    /// A token of `want` that is newer than `old`: joins the refresh under way, or starts one.
    ///
    /// The refresh belongs to the engine: a cancelled caller stops waiting, nothing else.
    ///
    /// - Parameters:
    ///   - isRefused: Whether a resource refused `old`; it is then not handed out again, good or not.
    ///   - isForced: Whether to ask the service now, however short a time ago it failed.
    nonisolated func token(
        _ want: Want, newerThan old: AccessToken?, isRefused: Bool, isForced: Bool = false
    ) async throws(AuthError) -> AccessToken {
        let refused = isRefused ? old : nil
        if isShared { return try handOut(try await mint(want, newerThan: old, isRefused, isForced), want) }
        if let (flight, wanted) = boarding.withLock({ $0 }), wanted == want {
            return try await wait(for: flight, want, refused: refused)
        }
        let flight = try await flight(for: want, newerThan: old, isRefused: isRefused, isForced: isForced)
        return try await wait(for: flight, want, refused: refused)
    }

    /// Waits as a caller does: until its patience is at an end, or that of others was and a token still lasts.
    private nonisolated func wait(
        for flight: Flight<AccessToken>, _ want: Want, refused: AccessToken?
    ) async throws(AuthError) -> AccessToken {
        if flight.isLate, let token = remembered(want, refused: refused) { return try handOut(token, want) }
        return try handOut(try await flight.value(since: clock.now()), want)
    }

    /// The flight under way for `want`, or a new one.
    private func flight(
        for want: Want, newerThan old: AccessToken?, isRefused: Bool, isForced: Bool
    ) async throws(AuthError) -> Flight<AccessToken> {
        while let (flight, wanted) = flight {
            // Who asks for a login is not told what became of the one before it.
            let login = engine.table.entry(want.account)?.login
            if wanted == want, login == nil || login == flightLogin { return flight }
            // What became of the other's token is the other's business; only our own cancellation is ours.
            do { _ = try await flight.value(since: clock.now()) } catch  where Task.isCancelled { throw error } catch {}
            // It is still under way, and this caller has waited for as long as it would for its own.
            if flight.isLate, flight === self.flight?.0 {
                let late = Flight<AccessToken>()
                late.land(unanswered(want, refused: isRefused ? old : nil))
                return late
            }
        }
        let flight = Flight<AccessToken>()
        // Whose refresh has ended while they were on their way to it are told what the others were.
        if !isForced, let rest = rest(want, refused: isRefused ? old : nil) {
            flight.land(rest)
            return flight
        }
        self.flight = (flight, want)
        flightLogin = engine.table.entry(want.account)?.login
        engine.context.start("refresh") { [self] in
            await enter()
            let begun = clock.now()
            let landing = await refresh(want, newerThan: old, isRefused: isRefused)
            await leave()
            await conclude(landing, of: want, took: clock.now() - begun)
            flight.land(landing.result)
        }
        return flight
    }

    /// Tells callers of the exchange under way whose patience ends; until it is cancelled.
    func dismissImpatient(_ want: Want, refused: AccessToken?) async {
        guard let flight = flight?.0 else { return }
        let patience = engine.settings.patience
        var begun = clock.now()
        while !Task.isCancelled {
            let end = max(flight.firstWaiting ?? clock.now(), begun) + patience
            do { try await clock.sleep(until: end) } catch { return }
            // After a sleep of the machine the answer may be there already, and nobody had the time to hear it.
            guard clock.now() - end < .seconds(1) else {
                begun = clock.now()
                continue
            }
            flight.dismiss(waitingSince: clock.now() - patience, with: unanswered(want, refused: refused))
        }
    }

    /// The last look before a token leaves: the gate may have closed, and the person left, while it was on its way.
    private nonisolated func handOut(_ token: AccessToken, _ want: Want) throws(AuthError) -> AccessToken {
        guard clock.now() < engine.table.openUntil else { throw AuthError(.locked, "The sessions are locked.") }
        guard engine.table.entry(want.account) != nil else {
            throw AuthError(.signInRequired(.signedOut), AuthError.SignInRequiredReason.signedOut.sentence)
        }
        return token
    }

    /// From now on nothing of `login` is shown to callers.
    ///
    /// - Parameter isStored: Whether the store says so too; until ``noteStoredEnd(of:)`` only this lane knows.
    func forget(_ login: String, isStored: Bool = true) {
        if !isStored { unstoredEnds.insert(login) }
        guard !ended.contains(login) else { return }
        ended.append(login)
        if ended.count > 32 { unstoredEnds.remove(ended.removeFirst()) }
    }

    /// The store knows of the end, or never knew the login.
    func noteStoredEnd(of login: String) { unstoredEnds.remove(login) }

    func isForgotten(_ login: String) -> Bool { ended.contains(login) }

    /// What is under way, and what is not stored, outlasts the client.
    func noteDebts() {
        let isFlying = flight != nil || !minting.withLock { $0.isEmpty }
        let owes = isFlying || isBusy || isUnsaved || unsavedSignIn != nil || !unsavedSignOuts.isEmpty
        let hasSeen = !unstoredEnds.isEmpty || !seenMarks.isEmpty || !unsentMarks.isEmpty
        engine.note(key, owes: owes, remembers: hasSeen || revocationFailures > 0)
    }

    /// Nobody boards any more when the alarm is set: it may go off at once, and whom it sends would be told of what has
    /// led to it, and nobody be sent again.
    private func conclude(_ landing: Landing, of want: Want, took: Duration) {
        let change = engine.settle(landing, of: want)
        flight = nil
        if let change { engine.announce(change, landing, took: took) }
    }

    /// The exchange under way is for `login`.
    func fly(for login: String) { flightLogin = login }

    /// `login` is shown: nobody boards an exchange for another one any more.
    func noteShown(_ login: String) { if flight != nil, login != flightLogin { boarding.withLock { $0 = nil } } }

    /// One exchange at a time in this process, first come first served.
    func enter() async {
        guard isBusy else {
            isBusy = true
            return
        }
        let turn = Flight<Void>()
        waiting.append(turn)
        _ = await turn.landing()
    }

    func leave() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().land(.success(())) }
    }
}
