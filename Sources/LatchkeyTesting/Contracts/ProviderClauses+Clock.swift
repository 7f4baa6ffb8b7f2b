import FoundationEssentials
import Latchkey
import LatchkeySystem

/// What a provider makes of a device whose clock is wrong.
extension ProviderContract {
    func wrongClock(_ conversation: Conversation) async throws {
        let slow = Duration.seconds(-7200)
        try await clauses.clause("a device whose clock is wrong, and knows by how much, sees the same times") {
            let (usual, wrong) = (try await make(), try await make())
            var context = wrong.context
            context.world.clock = WrongClock(context.world.clock, by: slow)
            context.serverOffset = wrong.context.serverOffset - slow
            let other = Setting(wrong.provider, in: context)
            let (first, second) = (Locked<[Date?]>([]), Locked<[Date?]>([]))
            let grant = try await follow(conversation, in: usual) { turn in
                if case .asked(let challenge) = turn { first.withLock { $0.append(challenge.expiresAt) } }
                return false
            }
            let same = try await follow(conversation, in: other) { turn in
                if case .asked(let challenge) = turn { second.withLock { $0.append(challenge.expiresAt) } }
                return false
            }
            for (one, other) in zip(first.withLock { $0 }, second.withLock { $0 }) {
                guard let one, let other else { continue }
                try expect(abs(one.timeIntervalSince(other)) < 600, "a challenge ends at another time")
            }
            guard let grant, let same else { return }
            try Self.compare(Self.lifetimes(grant), Self.lifetimes(same))
        }
        guard let (setting, credential, want) = try await refreshable(conversation) else { return }
        try await clauses.clause("a device whose clock is wrong, and knows by how much, sees the same times") {
            var context = setting.context
            context.world.clock = WrongClock(context.world.clock, by: slow)
            context.serverOffset = setting.context.serverOffset - slow
            let date = HTTPDate.text(context.serverNow.addingTimeInterval(120))
            let answer = TransportResponse(status: 429, fields: ["Retry-After": date])
            let other = Setting(setting.provider, in: context)
            let thrown = try await refreshError(other, credential, want) { _ in answer }
            let wait = ((thrown as? NotSent)?.error ?? thrown as? AuthError)?.retryAfter ?? .zero
            try expect((.seconds(60)...(.seconds(180))).contains(wait), "two minutes until a date are \(wait)")
        }
        try await clauses.clause("no token lasts longer on a device whose clock is slow") {
            let seen = ChangedAnswers(setting.context.transport)
            let change = try await setting.provider.refresh(
                credential, for: want, in: setting.context.anew(over: seen))
            let dated = seen.posts.map { answer in
                var answer = answer
                if answer.fields["Date"] == nil { answer.fields["Date"] = HTTPDate.text(setting.context.serverNow) }
                return answer
            }
            // Nothing is known of the service's clock but what this answer itself says of it.
            var context = setting.context.anew(over: ChangedAnswers(setting.context.transport, recorded: dated))
            context.world.clock = WrongClock(context.world.clock, by: slow)
            guard let same = try? await setting.provider.refresh(credential, for: want, in: context) else { return }
            let lasts = { (change: CredentialChange) in
                (change.sessions?.first { $0.id == want.session }?.tokens[want.audience]
                    ?? change.minted[want.session]?[want.audience])?.lifetime?.lasts
            }
            if let usual = lasts(change), let slow = lasts(same) {
                try expect(slow < usual + .seconds(600), "\(usual) became \(slow)")
            }
        }
    }

    private static func lifetimes(_ grant: Grant) -> [Audience: Lifetime] {
        (grant.sessions.first { $0.id == grant.current }?.tokens ?? [:]).compactMapValues(\.lifetime)
    }

    private static func compare(_ usual: [Audience: Lifetime], _ wrong: [Audience: Lifetime]) throws {
        for (audience, lifetime) in usual {
            guard let other = wrong[audience] else { continue }
            let difference = abs((lifetime.lasts - other.lasts).inSeconds)
            try expect(difference < 600, "a token lasts \(other.lasts) and not \(lifetime.lasts)")
            let apart = abs(lifetime.wall.timeIntervalSince(other.wall))
            try expect(apart < 600, "a token is received at another time by the service's clock")
        }
    }
}

/// A clock whose wall time is wrong.
private struct WrongClock: AuthClock {
    let inner: any AuthClock
    let difference: Duration

    init(_ inner: any AuthClock, by difference: Duration) { (self.inner, self.difference) = (inner, difference) }

    var boot: String { inner.boot }
    func now() -> MonotonicInstant { inner.now() }
    func wall() -> Date { inner.wall().addingTimeInterval(difference.inSeconds) }
    func sleep(until instant: MonotonicInstant) async throws { try await inner.sleep(until: instant) }
}
