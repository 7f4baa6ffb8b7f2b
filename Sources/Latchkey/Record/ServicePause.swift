import LatchkeyJSON

/// A pause that the service has asked for (`Retry-After`). It is in the record, so every process keeps it.
package struct ServicePause: Hashable, Sendable {
    /// When the service asked for it.
    package var since: CredentialRecord.Stamp
    /// How long it lasts from then on, at most ``RetryAfter/longest``.
    package var lasts: Duration

    package init(since: CredentialRecord.Stamp, lasts: Duration) {
        self.since = since
        self.lasts = min(lasts, RetryAfter.longest)
    }

    /// The pause that an error asks for; `nil` if it asks for none.
    init?(_ error: any Error, at stamp: CredentialRecord.Stamp) {
        guard let error = (error as? NotSent)?.error ?? error as? AuthError,
            [.rateLimited, .serviceTrouble].contains(error.code), let asked = error.retryAfter, asked > .zero
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
    func record() -> JSONDraft { ["lasts": .nanoseconds(lasts), "since": since.record()] }

    init(record: JSONDocument.Field) throws(JSONError) {
        self.init(
            since: try CredentialRecord.Stamp(record: record["since"]), lasts: try record["lasts"].duration())
    }
}
