import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// Two callers share one refresh, and either may have forced it. Each learns what the end means for itself.
@Suite("A joined refresh") struct JoinedTests {
    /// The two callers, in the order of their calls.
    enum Order: CaseIterable, Sendable {
        case forcedFirst, forcedLast, bothAsk, bothForce

        var isForced: (first: Bool, second: Bool) {
            (self == .forcedFirst || self == .bothForce, self == .forcedLast || self == .bothForce)
        }
    }

    private func call(_ auth: AuthClient, isForced: Bool) async -> Result<AccessToken, AuthError> {
        do throws(AuthError) {
            return .success(isForced ? try await auth.refresh() : try await auth.accessToken())
        } catch { return .failure(error) }
    }

    @Test(
        "a caller that forces a refresh is told of its failure, and one that asks gets the token that lasts, in any order",
        .law(23),
        arguments: OneWordTests.Fate.allCases, Order.allCases)
    func joins(_ fate: OneWordTests.Fate, _ order: Order) async throws {
        for (age, isShared) in [(3_400, false), (3_700, false), (3_400, true), (3_700, true)] {
            let bench = Bench(rules: isShared ? .scripted(refresh: .mints, sharesCredential: true) : .scripted())
            let auth = try await bench.signedIn()
            let former = try await auth.accessToken()
            bench.clock.advance(by: .seconds(age))
            let step = fate == .answered && isShared ? .minted : fate.step
            let first = try await bench.service.hold(then: step) {
                await call(auth, isForced: order.isForced.first)
            }
            // Beside others, a refusal is asked about a second time, alone.
            let isDoubted = isShared && (fate == .refused || fate == .refusedWithoutReason)
            if isDoubted { bench.service.script(refreshes: fate.step) }
            let second = Task { await call(auth, isForced: order.isForced.second) }
            await bench.settle()
            first.answer()
            let results = [(try await first.value, order.isForced.first), (await second.value, order.isForced.second)]
            for (result, isForced) in results {
                let line: Comment = "\(fate), \(order) at \(age) s, forced: \(isForced), shared: \(isShared)"
                switch result {
                case .success(former): #expect(age < 3_600 && !isForced && fate != .refused && fate != .answered, line)
                case .success: #expect(fate == .answered, line)
                case .failure(let error):
                    #expect(error.code == fate.code && (age > 3_600 || isForced || fate == .refused), line)
                }
            }
            #expect(
                bench.service.refreshCount == (isDoubted ? 2 : 1), "\(fate), \(order) at \(age) s, shared: \(isShared)")
        }
    }

    @Test(
        "a refresh that brings the same token again is over, and is not asked for once more", .law(23),
        arguments: [false, true])
    func sameAgain(isShared: Bool) async throws {
        for age in [0, 3_400] {
            let bench = Bench(rules: isShared ? .scripted(refresh: .mints, sharesCredential: true) : .scripted())
            let auth = try await bench.signedIn()
            let former = try await auth.accessToken()
            bench.clock.advance(by: .seconds(age))
            let lifetime = Lifetime(
                receivedAt: bench.clock.now(), boot: bench.clock.boot, wall: bench.clock.wall(), lasts: .seconds(3_600))
            let session = try #require(
                try await bench.store.onlyRecord().document["credential"]?["sessions"]?.array?.first)
            let id = AuthSession.ID(try #require(session["id"]?.string))
            var change = CredentialChange(refreshToken: isShared ? nil : Secret("refresh-next"))
            change.minted = [id: [.standard: AccessToken(former.value, lifetime: lifetime)]]
            bench.service.script(refreshes: .refreshed(change))
            let token = try await auth.refresh()
            #expect(token.value == former.value)
            #expect(bench.service.refreshCount == 1, "at \(age) s")
        }
    }
}

/// What another process is told while a call waits.
@Suite("A call that waits") struct WaitingCallTests {
    @Test("a call that failed with a token that lasts returns none, if the session's end was read meanwhile", .law(23))
    func endedElsewhere() async throws {
        for fate in [OneWordTests.Fate.outage, .trouble, .rest] {
            // The record as it is once the service has refused the same session.
            let model = Bench()
            let before = try await model.signedIn()
            model.clock.advance(by: .seconds(3_400))
            model.service.script(refreshes: OneWordTests.Fate.refused.step)
            _ = try? await before.accessToken()
            let ended = try await model.store.onlyRecord().document.object
            let bench = Bench()
            let auth = try await bench.signedIn()
            bench.clock.advance(by: .seconds(3_400))
            bench.service.script(refreshes: fate.step)
            bench.store.script(
                replaces: .none,
                .before { [bench] in
                    try await bench.store.change { $0 = try #require(ended) }
                    try await auth.restore()
                })
            #expect(await code { try await auth.accessToken() } == .signInRequired(.refused), "\(fate)")
            #expect(try await auth.accounts().map(\.state) == [.signInRequired(.refused)], "\(fate)")
            #expect(bench.service.refreshCount == 1, "\(fate)")
        }
    }

    /// Has the session end as the end of the refresh is noted, which is before its caller goes on.
    private final class EndingObserver: AuthObserver {
        let client = Locked<AuthClient?>(nil)

        func observe(_ observation: AuthObservation) {
            guard case .refresh = observation, let engine = client.withLock({ $0?.engine }) else { return }
            for entry in engine.table.entries {
                engine.accounts.require(.refused, of: entry.account, login: entry.login)
            }
        }
    }

    @Test("a token from memory is not handed out any more once the session's end is known", .law(23))
    func endedAtLast() async throws {
        let bench = Bench()
        let observer = EndingObserver()
        let auth = try bench.process { $0.context(.testing(clock: bench.clock, seed: 7, observer: observer)) }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        bench.clock.advance(by: .seconds(3_400))
        observer.client.withLock { $0 = auth }
        bench.store.script(reads: AuthError(.store(.unavailable), "gone"))
        #expect(await code { try await auth.accessToken() } == .signInRequired(.refused))
        #expect(try await auth.accounts().map(\.state) == [.signInRequired(.refused)])
        #expect(bench.service.refreshCount == 0)
        observer.client.withLock { $0 = nil }
    }
}

extension OneWordTests.Fate {
    /// What a caller is told that has no token left; `nil` for a new token.
    fileprivate var code: AuthError.Code? {
        switch self {
        case .outage: .offline(.unreachable)
        case .trouble: .serviceTrouble
        case .rest: .rateLimited
        case .refused: .signInRequired(.refused)
        case .refusedWithoutReason: .signInRequired(.refusedWithoutReason)
        case .factorRequired: .signInRequired(.factorRequired)
        case .answered: nil
        }
    }
}
