import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

/// Each test is a counterexample of `Documentation/Lane.md`, by its number there.
@Suite struct LaneTests {
    private let full = AuthError(.store(.full), "no space")

    /// A bench whose token has ended, and a process on it.
    private func ended(_ rules: ProviderRules = .scripted()) async throws -> (Bench, AuthClient) {
        let bench = Bench(rules: rules)
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        return (bench, auth)
    }

    @Test("1, 2: a request whose process died is waited out before its token is sent again")
    func holdOff() async throws {
        let (bench, auth) = try await ended()
        bench.service.script(renewals: .failed(TransportError(.interrupted, wasSent: true)))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        let begun = bench.clock.now()
        let next = try bench.process(seed: 9)
        let token = try await bench.run { try await next.accessToken() }
        #expect(token.value.revealText() == "access-2")
        #expect(bench.clock.now() - begun >= .seconds(10))
        #expect(bench.service.sentSecrets == ["renewal-1", "renewal-1"])
    }

    @Test("while a request may be under way, a token that is still good is used and nothing is sent")
    func holdOffWithGoodToken() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_400))
        bench.service.script(renewals: .failed(TransportError(.interrupted, wasSent: true)))
        _ = try await auth.accessToken()
        let next = try bench.process(seed: 9)
        #expect(try await next.accessToken().value.revealText() == "access-1")
        #expect(bench.service.renewCount == 1)
    }

    @Test("a service that gives the same successor again is asked at once, and its successor then rests")
    func sameSuccessor() async throws {
        let (bench, auth) = try await ended(.scripted(replay: .sameSuccessor))
        bench.service.script(renewals: .failed(TransportError(.interrupted, wasSent: true)))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        let next = try bench.process(seed: 9)
        #expect(try await next.accessToken().value.revealText() == "access-2")
        #expect(try await bench.store.onlyRecord().document["notBefore"] != nil)
        // Asked to renew by name, it still rests: the token it has is good.
        let third = try bench.process(seed: 10)
        #expect(try await third.refresh().value.revealText() == "access-3")
    }

    @Test("6: the resend is refused, and the person told that a refresh was interrupted")
    func interrupted() async throws {
        let (bench, auth) = try await ended()
        bench.service.script(
            renewals: .failed(TransportError(.interrupted, wasSent: true)),
            .refused(Refusal(.definite, code: "invalid_grant")))
        _ = await code { try await auth.accessToken() }
        let next = try bench.process(seed: 9)
        let reason = try await bench.run { await code { try await next.accessToken() } }
        #expect(reason == .signInRequired(.interrupted))
    }

    @Test("3: another field of the record changed meanwhile: the save is repeated and nothing is lost")
    func conflictingField() async throws {
        let (bench, auth) = try await ended()
        let store = bench.store.inner
        bench.store.script(replaces: .none, .after { try await store.change { $0["extra"] = "kept" } })
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        let document = try await bench.store.onlyRecord().document
        #expect(document["extra"]?.string == "kept")
        #expect(document["credential"]?["renewal"]?.string == "renewal-2")
        #expect(bench.service.revokeCount == 0)
    }

    @Test("4: the save took effect but reported failure: one's own write is recognised")
    func ambiguousSave() async throws {
        let (bench, auth) = try await ended()
        bench.store.script(replaces: .none, .doneButFailed(full))
        let token = try await auth.accessToken()
        #expect(token.value.revealText() == "access-2")
        #expect(token.isDurable)
        #expect(bench.service.revokeCount == 0)
    }

    @Test("14: where the mark cannot be stored, nothing is sent")
    func noMarkNoRequest() async throws {
        let (bench, auth) = try await ended()
        bench.store.script(replaces: .refused(full))
        #expect(await code { try await auth.accessToken() } == .store(.full))
        #expect(bench.service.renewCount == 0)
    }

    @Test("15: \"surely not sent\" clears one's own mark, and never one that was open before")
    func notSent() async throws {
        let (bench, auth) = try await ended()
        bench.service.script(renewals: .failed(TransportError(.unreachable, wasSent: false)))
        _ = await code { try await auth.accessToken() }
        #expect(try await bench.store.onlyRecord().document["mark"] == nil)
        bench.service.script(
            renewals: .failed(TransportError(.interrupted, wasSent: true)),
            .failed(TransportError(.unreachable, wasSent: false)))
        bench.clock.advance(by: .seconds(100))
        _ = await code { try await auth.accessToken() }
        let open = try await bench.store.onlyRecord().document["mark"]?["id"]?.string
        #expect(open != nil)
        bench.clock.advance(by: .seconds(100))
        _ = await code { try await auth.accessToken() }
        #expect(try await bench.store.onlyRecord().document["mark"]?["id"]?.string == open)
    }

    @Test("11, 16, 17: an answer that cannot be stored is used, told to be so, and keeps the lane until it is stored")
    func notDurable() async throws {
        let (bench, auth) = try await ended()
        bench.store.script(
            replaces: .none, .refused(full), .refused(full), .refused(full), .refused(full), .refused(full),
            .refused(full), .refused(full))
        let token = try await auth.accessToken()
        #expect(token.value.revealText() == "access-2")
        #expect(!token.isDurable)
        #expect(try await auth.accessToken().isDurable == false)
        #expect(try await auth.accounts().first?.isDurable == false)
        // Another process waits for the lane in vain, and sends nothing.
        let other = try bench.process(seed: 9)
        let outcome = try await bench.run { await code { try await other.accessToken() } }
        #expect(outcome == .busy)
        #expect(bench.service.sentSecrets == ["renewal-1"])
        bench.store.failCommits(nil)
        let stored = try await bench.run {
            while try await auth.accounts().first?.isDurable != true { await Task.yield() }
            return try await bench.store.onlyRecord().document["credential"]?["renewal"]?.string
        }
        #expect(stored == "renewal-2")
    }

    @Test("9 in section 2: while an answer is not stored, no further refresh is sent")
    func noRefreshOfUnstored() async throws {
        let (bench, auth) = try await ended()
        bench.store.script(replaces: .none)
        let hold = Latch()
        bench.service.script(renewals: .held(hold, then: .rotated))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRenewals(1)
        bench.store.failCommits(full)
        hold.open()
        #expect(try await caller.value.isDurable == false)
        #expect(await code { try await auth.refresh() } == .store(.notDurable))
        #expect(auth.currentToken()?.value.revealText() == "access-2")
        #expect(bench.service.renewCount == 1)
        bench.store.failCommits(nil)
        #expect(try await auth.refresh().value.revealText() == "access-3")
        #expect(bench.service.sentSecrets == ["renewal-1", "renewal-2"])
    }

    @Test("the store cannot be read after a lost save: nothing new is handed out before it can")
    func unreadableAfterSave() async throws {
        let (bench, auth) = try await ended()
        let gone = AuthError(.store(.unavailable), "gone")
        let hold = Latch()
        bench.service.script(renewals: .held(hold, then: .rotated))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRenewals(1)
        bench.store.script(replaces: .refused(gone))
        bench.store.script(reads: gone)
        hold.open()
        #expect(await code { try await caller.value } == .store(.unavailable))
        #expect(auth.currentToken() == nil)
        let token = try await bench.run { () -> AccessToken in
            while true {
                if let token = auth.currentToken() { return token }
                await Task.yield()
            }
        }
        #expect(token.value.revealText() == "access-2")
        #expect(bench.service.renewCount == 1)
    }

    @Test("another process holds the lane past the deadline: the good token is used, else the holder is named")
    func laneDeadline() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let key = try await bench.store.onlyRecord().key
        let hold = try await bench.store.lane(key, sharing: false, deadline: .seconds(1))
        bench.clock.advance(by: .seconds(3_400))
        let good = try await bench.run { try await auth.accessToken() }
        #expect(good.value.revealText() == "access-1")
        bench.clock.advance(by: .seconds(300))
        #expect(try await bench.run { await code { try await auth.accessToken() } } == .busy)
        #expect(bench.service.renewCount == 0)
        await hold.release()
        bench.clock.advance(by: .seconds(60))
        #expect(try await auth.accessToken().value.revealText() == "access-2")
    }

    @Test("a token's refresh that begins during another process's adopts what that one stored")
    func adoptsDuringWait() async throws {
        let (bench, first) = try await ended()
        let second = try bench.process(seed: 9)
        let hold = Latch()
        bench.service.script(renewals: .held(hold, then: .rotated))
        let one = Task { try await first.accessToken() }
        try await bench.service.waitForRenewals(1)
        let two = Task { try await second.accessToken() }
        hold.open()
        #expect(try await one.value == two.value)
        #expect(bench.service.renewCount == 1)
    }

    @Test("an answer that brings no token of the wanted kind is stored all the same, and said to be malformed")
    func answerWithoutToken() async throws {
        let (bench, auth) = try await ended()
        bench.service.script(renewals: .renewed(Renewal(renewal: Secret("renewal-x"))))
        // The record still has the ended token; it is not handed out as the answer.
        #expect(await code { try await auth.accessToken() } == .untrusted(.malformed))
        #expect(try await bench.store.onlyRecord().document["credential"]?["renewal"]?.string == "renewal-x")
    }
}
