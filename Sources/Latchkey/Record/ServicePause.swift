import LatchkeyJSON

/// What the service has said instead of an answer, so that every process knows it: to be left alone for a while
/// (`Retry-After`), or that it refuses this client. It is in the record until the service answers.
package struct ServicePause: Hashable, Sendable {
    /// When the service asked for it.
    package var since: CredentialRecord.Stamp
    /// How long it lasts from then on, at most ``RetryAfter/longest``.
    package var lasts: Duration
    /// Whether it refused the client, and not the session. That asks for no pause: the next caller may have mended it.
    package var refusesClient = false

    package init(since: CredentialRecord.Stamp, lasts: Duration, refusesClient: Bool = false) {
        self.since = since
        self.lasts = min(lasts, RetryAfter.longest)
        self.refusesClient = refusesClient
    }

    /// What an error says; `nil` if it neither asks for a pause nor refuses the client.
    init?(_ error: any Error, at stamp: CredentialRecord.Stamp) {
        guard let error = (error as? NotSent)?.error ?? error as? AuthError else { return nil }
        if error.code == .configuration(.clientRefused) {
            self.init(since: stamp, lasts: error.retryAfter ?? .zero, refusesClient: true)
            return
        }
        guard [.rateLimited, .serviceTrouble].contains(error.code), let asked = error.retryAfter, asked > .zero
        else { return nil }
        self.init(since: stamp, lasts: asked)
    }

    /// How much of it is left; `nil` if it is over. It is over if the clock stands before it: nothing else
    /// would end it then.
    func rest(by clock: any AuthClock) -> Duration? {
        guard let age = clock.age(of: since), age < lasts else { return nil }
        return lasts - age
    }

    /// What a caller is told instead of a request.
    static func trouble(_ rest: Duration, of provider: ProviderID) -> AuthError {
        AuthError(
            .rateLimited, "The service asked to wait before it is asked again, so nothing was sent.",
            provider: provider, retryAfter: rest)
    }
}

extension ServicePause {
    func record() -> JSONDraft {
        .members(
            [
                "lasts": .nanoseconds(lasts), "refusesClient": refusesClient ? .bool(true) : nil,
                "since": since.record(),
            ], adding: [:])
    }

    init(record: JSONDocument.Field) throws(JSONError) {
        self.init(
            since: try CredentialRecord.Stamp(record: record["since"]), lasts: try record["lasts"].duration(),
            refusesClient: try record["refusesClient"].optional?.bool() ?? false)
    }
}
