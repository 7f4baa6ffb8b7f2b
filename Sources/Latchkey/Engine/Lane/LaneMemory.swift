/// Logins as this process knows them, beside what the record says.
struct LoginMemory: Sendable {
    /// Logins that this process made, which tells of them itself.
    private(set) var own: [String] = []
    /// Logins that ended through this process: nothing of them is shown again.
    private(set) var ended: [String] = []
    /// Those of them of which the store may not know yet.
    private(set) var unstoredEnds: Set<String> = []

    mutating func noteOwn(_ login: String) {
        if !own.contains(login) { own = own.suffix(7) + [login] }
    }

    func hasEnded(_ login: String) -> Bool { ended.contains(login) }

    /// From now on nothing of `login` is shown to callers.
    ///
    /// - Parameter isStored: Whether the store says so too; until ``noteStoredEnd(of:)`` only this lane knows.
    mutating func forget(_ login: String, isStored: Bool = true) {
        if !isStored { unstoredEnds.insert(login) }
        guard !ended.contains(login) else { return }
        ended.append(login)
        if ended.count > 32 { unstoredEnds.remove(ended.removeFirst()) }
    }

    /// The store knows of the end, or never knew the login.
    mutating func noteStoredEnd(of login: String) { unstoredEnds.remove(login) }
}

/// Which reading callers see.
struct ShownRecord: Sendable {
    /// The version that callers see, or are about to be shown by whoever committed it.
    var version: RecordVersion?
    /// The last reading.
    var lastRead: (writeID: String, version: RecordVersion)?
    /// Counts what was shown, so that an older reading is not shown over it.
    var epoch = 0
}

/// What this process knows of the revocations that the service is owed.
struct RevocationMemory: Sendable {
    /// How often in a row something had to be left.
    var failures = 0
    /// How long the service asked to be left alone.
    private(set) var pause = Duration.zero
    /// Logins whose access token the service does not take, though it should last: they are refreshed before revoking.
    var untaken: Set<String> = []
    /// The login whose revocation failed last: the next round begins behind it.
    var lastFailed: String?

    mutating func beginRound() { pause = .zero }

    /// Remembers for how long the service asked to be left alone, a day at most.
    mutating func notePause(_ error: any Error) {
        guard let asked = (error as? AuthError)?.retryAfter else { return }
        pause = max(pause, min(asked, .seconds(86_400)))
    }
}
