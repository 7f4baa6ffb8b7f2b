/// What this process knows of the revocations that the service is owed.
struct RevocationMemory: Sendable {
    /// How many rounds in a row left something.
    var failures = 0
    /// How long the service asked to be left alone.
    private(set) var pause = Duration.zero
    /// Logins whose access token the service refuses though it should last. They are refreshed before revoking.
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
