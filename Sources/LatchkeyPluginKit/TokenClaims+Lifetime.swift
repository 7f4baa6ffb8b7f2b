public import FoundationEssentials
public import Latchkey

// Only the service's clock is used here, so this device's clock may be wrong.

extension TokenClaims {
    /// Returns how long a token that was received now lasts, by its `exp` and `iat`; `nil` if it
    /// does not say when it ends.
    ///
    /// It counts from the service's clock: from `seen`, or from `iat` if that is later or the only
    /// one. If neither is known, it counts from this device's clock, corrected as far as the
    /// service's is known. One second is subtracted, because a clock that shows whole seconds may
    /// be up to one second ahead of its reading.
    ///
    /// A token that has already ended lasts for zero seconds. That is no error, because the refresh
    /// token that came with it may be the only valid one.
    ///
    /// - Parameters:
    ///   - context: The clock, and what is known of the service's clock.
    ///   - seen: The time by the service's clock in the answer that brought the token:
    ///     ``JSONService/Answer/date(now:)``. Without it, a token from a cache of the service, which is
    ///     older than its answer, seems to last longer than it does.
    public func lifetime(in context: ProviderContext, seen: Date? = nil) -> Lifetime? {
        guard let end = instant("exp") else { return nil }
        let reading = [seen, instant("iat")].compactMap { $0 }.max() ?? context.serverNow
        var lifetime = context.lifetime(.seconds(end.timeIntervalSince(reading) - 1))
        lifetime.wall = reading
        return lifetime
    }
}
