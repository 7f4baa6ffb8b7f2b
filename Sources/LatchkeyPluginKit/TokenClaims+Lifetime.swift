public import FoundationEssentials
public import Latchkey

// All that is used here are readings of the service's clock, so that the clock of this device may be wrong.

extension TokenClaims {
    /// How long a token lasts that was received now, by its `exp` and `iat`; `nil` where it does not say when it ends.
    ///
    /// It counts from the service's own clock: from `seen`, or from `iat` where that is later or the only one. With neither
    /// it is the clock of this device, corrected as far as the service's is known. One second is taken off, because a clock
    /// that shows whole seconds is up to one ahead of its reading.
    ///
    /// A token that has ended already lasts for zero seconds, and is no error: the refresh token that came with it may be the only
    /// one that is good.
    ///
    /// - Parameter seen: What the service's clock showed in the answer that brought the token:
    ///   ``JSONService/Answer/date(now:)``. Without it a token from a cache of the service, older than its answer, seems
    ///   to last longer than it does.
    public func lifetime(in context: ProviderContext, seen: Date? = nil) -> Lifetime? {
        guard let end = instant("exp") else { return nil }
        let reading = [seen, instant("iat")].compactMap { $0 }.max() ?? context.serverNow
        var lifetime = context.lifetime(.seconds(end.timeIntervalSince(reading) - 1))
        lifetime.wall = reading
        return lifetime
    }
}
