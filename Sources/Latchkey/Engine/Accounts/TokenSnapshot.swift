import FoundationEssentials

/// An access token and what the clock says about it.
struct TokenSnapshot: Sendable {
    var token: AccessToken
    /// From this instant on it is refreshed before it is handed out, if that can be done.
    var staleAt: MonotonicInstant
    /// From this instant on it is not handed out.
    var endsAt: MonotonicInstant

    /// - Parameter leeway: The most time before the end at which the token counts as stale; a quarter of the lifetime
    ///   if that is less. A token without a stated lifetime is good until a resource refuses it; one that was refused
    ///   has ended.
    init(_ token: AccessToken, leeway: Duration, clock: any AuthClock, by serverTime: ServerTime) {
        self.token = token
        guard !token.isRefused else {
            staleAt = clock.now()
            endsAt = staleAt
            return
        }
        guard let lifetime = token.lifetime else {
            staleAt = MonotonicInstant(nanoseconds: .max)
            endsAt = MonotonicInstant(nanoseconds: .max)
            return
        }
        switch serverTime {
        case .offset(let offset):
            endsAt = lifetime.ends(
                boot: clock.boot, now: clock.now(), serverNow: clock.wall().addingTimeInterval(offset.inSeconds))
        case .setBack: endsAt = lifetime.boot == clock.boot ? lifetime.receivedAt + lifetime.lasts : clock.now()
        }
        staleAt = endsAt - min(leeway, lifetime.lasts / 4)
    }
}
