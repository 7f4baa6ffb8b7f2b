/// Step 3: for how long an earlier request may be under way.
///
/// A mark stands for two dangers: its sender waits for an answer, which a second request would make worthless; and the
/// request is queued somewhere, and arrives after a second one. If the sender has ended, or has given the request up,
/// only the other danger is left, and lasts no longer than the service takes to act.
extension Lane {
    enum HoldOff: Equatable {
        case none
        /// Nothing is sent before `until`; with `keepsToken`, nothing at all while the present token is of use.
        case rest(until: MonotonicInstant?, keepsToken: Bool)
    }

    /// `rule` says what sending the secret now would do.
    func holdOff(
        _ record: CredentialRecord, _ rule: ProviderRules.RefreshRule, _ provider: any AuthProvider
    ) -> HoldOff {
        guard rule != .fixed else { return .none }
        guard let mark = record.mark else {
            guard let rest = record.notBefore, rest.boot == clock.boot, clock.now() < rest.at else { return .none }
            return .rest(until: rest.at, keepsToken: true)
        }
        let replay = rule.worse(mark.replay)
        switch replay {
        case .fixed, .mints, .sameSuccessor: return .none
        case .killsFamily, .newSuccessor:
            let until = end(of: mark, provider, seen: record.slowestAnswer)
            let keepsToken = replay == .killsFamily && !repeats(mark, provider)
            if clock.now() < until { return .rest(until: until, keepsToken: keepsToken) }
            return keepsToken ? .rest(until: nil, keepsToken: true) : .none
        }
    }

    /// When the marked request can no longer arrive, or is no longer waited for and the service would have acted on it.
    ///
    /// - Parameter seen: How long the slowest recent answer took, as the record says.
    func end(of mark: CredentialRecord.Mark, _ provider: any AuthProvider, seen: Duration? = nil) -> MonotonicInstant {
        let latest = marks.end(of: mark, by: clock)
        guard let left = marks.left(mark, by: clock, context.processes) else { return latest }
        return min(latest, left.since + serviceTime(provider, seen, waited: left.waited))
    }

    /// Until when the successor rests that a service gives again for the secret of `open` (kind B1): as long as the marked
    /// request may still arrive and would then be two generations late. `nil` if it does not rest, because the service
    /// forgives that for longer than the request can be under way.
    func rest(after open: CredentialRecord.Mark, _ provider: any AuthProvider, seen: Duration?) -> MonotonicInstant? {
        let latest = marks.end(of: open, by: clock)
        guard let interval = provider.rules.reuseInterval else { return latest }
        guard latest > clock.now() + interval else { return nil }
        guard let left = marks.left(open, by: clock, context.processes) else { return latest }
        return min(latest, left.since + ownTime(provider, seen, waited: left.waited))
    }

    /// How long the service may take to act on a request that was given up after `waited`. If it repeats its answer for a
    /// known time, at most half of that.
    private func serviceTime(_ provider: any AuthProvider, _ seen: Duration?, waited: Duration) -> Duration {
        let time = ownTime(provider, seen, waited: waited)
        guard let interval = provider.rules.reuseInterval, interval > .zero else { return time }
        return min(time, interval / 2)
    }

    /// Three times the service's slowest recent answer, and at least a second.
    private func ownTime(_ provider: any AuthProvider, _ seen: Duration?, waited: Duration) -> Duration {
        let most = settings.requestDeadline
        let slowest = [seen, services.slowestAnswer(of: provider.rules.binding)].compactMap(\.self).max()
        let usual = slowest.map { min($0, most) * 3 } ?? most / 4
        return min(max(usual, waited, .seconds(1)), most)
    }

    /// Whether the service is known to repeat the answer to the marked request still, and its sender no longer waits.
    private func repeats(_ mark: CredentialRecord.Mark, _ provider: any AuthProvider) -> Bool {
        guard let interval = provider.rules.reuseInterval, mark.sent.boot == clock.boot,
            marks.left(mark, by: clock, context.processes) != nil
        else { return false }
        return clock.now() < mark.sent.at + interval
    }
}
