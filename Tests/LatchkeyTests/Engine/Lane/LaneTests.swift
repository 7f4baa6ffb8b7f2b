import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// Each test is a counterexample of `Documentation/Internals/Lane.md`, by its number there.
@Suite struct LaneTests {
    let full = AuthError(.store(.full), "no space")

    @Test("1, 2: a request whose process died is waited out before its token is sent again", .law(1))
    func holdOff() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        try await bench.forgetLeaving()
        let begun = bench.clock.now()
        let next = try bench.process(seed: 9)
        let token = try await bench.run { try await next.accessToken() }
        #expect(token.value.revealText() == "access-2")
        #expect(bench.clock.now() - begun >= .seconds(10))
        #expect(bench.service.sentSecrets == ["refresh-1", "refresh-1"])
    }

    @Test("19: a service that gives another successor is waited for, too")
    func newSuccessor() async throws {
        let (bench, auth) = try await Bench.ended(.scripted(refresh: .newSuccessor))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        try await bench.forgetLeaving()
        let begun = bench.clock.now()
        let next = try bench.process(seed: 9)
        #expect(try await bench.run { try await next.accessToken() }.value.revealText() == "access-2")
        #expect(bench.clock.now() - begun >= .seconds(10))
    }

    @Test("13: however often the answer is lost, only a refusal ends the session", .law(3))
    func lostAnswers() async throws {
        let (bench, auth) = try await Bench.ended()
        for _ in 0..<5 {
            bench.service.script(refreshes: .failed(TransportError(.timedOut, wasSent: true)))
            #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
            bench.clock.advance(by: .seconds(120))
        }
        #expect(try await bench.storedSecret == "refresh-1")
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        #expect(bench.service.sentSecrets == Array(repeating: "refresh-1", count: 6))
    }

    @Test(
        "an interrupted request's token is not sent again while the access token lasts, unless that is refused", .law(6)
    )
    func noNeedlessResend() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_400))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        bench.clock.advance(by: .seconds(100))
        let next = try bench.process(seed: 9)
        #expect(try await next.accessToken().value.revealText() == "access-1")
        #expect(bench.service.refreshCount == 1)
        #expect(try await next.refresh().value.revealText() == "access-2")
    }

    @Test("while a request may be under way, a token that is still good is used and nothing is sent", .law(6))
    func holdOffWithGoodToken() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_400))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        _ = try await auth.accessToken()
        let next = try bench.process(seed: 9)
        #expect(try await next.accessToken().value.revealText() == "access-1")
        #expect(bench.service.refreshCount == 1)
    }

    @Test("2: a service that gives the same successor again is asked at once, and its successor then rests", .law(6))
    func sameSuccessor() async throws {
        let (bench, auth) = try await Bench.ended(.scripted(refresh: .sameSuccessor))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        let next = try bench.process(seed: 9)
        #expect(try await next.accessToken().value.revealText() == "access-2")
        #expect(try await bench.store.onlyRecord().document["notBefore"] != nil)
        // Asked to refresh by name, it rests all the same.
        let third = try bench.process(seed: 10)
        #expect(try await third.accessToken().value.revealText() == "access-2")
        let begun = bench.clock.now()
        #expect(try await bench.run { try await third.refresh() }.value.revealText() == "access-3")
        #expect(bench.clock.now() - begun >= .seconds(10))
    }

    @Test(
        "where the service forgives older tokens for longer than a request can be under way, its successor does not rest"
    )
    func noRest() async throws {
        var rules = ProviderRules.scripted(refresh: .sameSuccessor)
        rules.reuseInterval = .seconds(10)
        let (bench, auth) = try await Bench.ended(rules)
        let lost = TransportError(.interrupted, wasSent: true)
        bench.service.script(refreshes: .failed(lost), .failed(lost))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        let (next, begun) = (try bench.process(seed: 9), bench.clock.now())
        #expect(try await next.accessToken().value.revealText() == "access-2")
        #expect(try await bench.store.onlyRecord().document["notBefore"] == nil)
        #expect(try await next.refresh().value.revealText() == "access-3")
        #expect(bench.clock.now() == begun)
    }

    @Test("25: a lost answer is asked for again at once, once, where the service repeats it for a known time")
    func askedAgain() async throws {
        var rules = ProviderRules.scripted(refresh: .sameSuccessor)
        for (interval, sent) in [(nil, 1), (.zero, 1), (.seconds(10), 2)] as [(Duration?, Int)] {
            rules.reuseInterval = interval
            let (bench, auth) = try await Bench.ended(rules)
            let before = bench.service.refreshCount
            let lost = TransportError(.interrupted, wasSent: true)
            bench.service.script(refreshes: .failed(lost), .failed(lost))
            #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
            #expect(bench.service.refreshCount - before == sent, "\(String(describing: interval))")
        }
    }

    @Test("a resend that is refused ends the session, and the person is told that a refresh was interrupted", .law(6))
    func interrupted() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(
            refreshes: .failed(TransportError(.interrupted, wasSent: true)),
            .refused(Refusal(.definite, code: "invalid_grant")))
        _ = await code { try await auth.accessToken() }
        let next = try bench.process(seed: 9)
        let reason = try await bench.run { await code { try await next.accessToken() } }
        #expect(reason == .signInRequired(.interrupted))
    }

    @Test("a process does not wait for a mark of its own that nothing was sent under, whatever the store said", .law(6))
    func unsentMark() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.store.script(replaces: .doneButFailed(AuthError(.store(.unavailable), "no answer")))
        #expect(await code { try await auth.refresh() } == .store(.unavailable))
        #expect(try await bench.store.onlyRecord().document["mark"] != nil)
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        let begun = bench.clock.now()
        let reason = try await bench.run { await code { try await auth.refresh() } }
        #expect(reason == .signInRequired(.refused), "Nothing was interrupted.")
        #expect(bench.clock.now() == begun)
        #expect(bench.service.sentSecrets == ["refresh-1"])
    }

    @Test("another process cannot know that nothing was sent under a mark, and waits", .law(6))
    func unsentMarkOfAnother() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.store.script(replaces: .doneButFailed(AuthError(.store(.unavailable), "no answer")))
        #expect(await code { try await auth.refresh() } == .store(.unavailable))
        let next = try bench.process(seed: 9)
        let begun = bench.clock.now()
        #expect(try await bench.run { try await next.refresh() }.value.revealText() == "access-2")
        #expect(bench.clock.now() - begun >= .seconds(10))
    }

    @Test("a mark that nothing was sent under hides no request that was sent before it", .law(6))
    func unsentMarkOverAnother() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(
            refreshes: .failed(TransportError(.interrupted, wasSent: true)),
            .refused(Refusal(.definite, code: "invalid_grant")))
        #expect(await code { try await auth.refresh() } == .offline(.unreachable))
        let begun = bench.clock.now()
        bench.store.script(replaces: .doneButFailed(AuthError(.store(.unavailable), "no answer")))
        #expect(try await bench.run { await code { try await auth.refresh() } } == .store(.unavailable))
        #expect(bench.clock.now() - begun >= .milliseconds(2_500), "The request that was sent may still arrive.")
        #expect(try await bench.run { await code { try await auth.refresh() } } == .signInRequired(.interrupted))
    }

    @Test("15: \"surely not sent\" clears one's own mark, and never one that was open before", .law(6))
    func notSent() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(refreshes: .failed(TransportError(.unreachable, wasSent: false)))
        _ = await code { try await auth.accessToken() }
        #expect(try await bench.store.onlyRecord().document["mark"] == nil)
        bench.service.script(
            refreshes: .failed(TransportError(.interrupted, wasSent: true)),
            .failed(TransportError(.unreachable, wasSent: false)))
        bench.clock.advance(by: .seconds(100))
        _ = await code { try await auth.accessToken() }
        let open = try await bench.store.onlyRecord().document["mark"]?["id"]?.string
        #expect(open != nil)
        bench.clock.advance(by: .seconds(100))
        _ = await code { try await auth.accessToken() }
        #expect(try await bench.store.onlyRecord().document["mark"]?["id"]?.string == open)
    }

    @Test(
        "another process holds the lane past the deadline: the good token is used, else the holder is named", .law(14))
    func lockDeadline() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let key = try await bench.store.onlyRecord().key
        let hold = try await bench.store.lock(key, deadline: .seconds(1))
        bench.clock.advance(by: .seconds(3_400))
        let good = try await bench.run { try await auth.accessToken() }
        #expect(good.value.revealText() == "access-1")
        bench.clock.advance(by: .seconds(300))
        let busy = try await bench.run { () -> AuthError? in
            do {
                _ = try await auth.accessToken()
                return nil
            } catch { return error as? AuthError }
        }
        #expect(busy?.code == .busy)
        #expect(busy?.message.contains("another task of this process") == true)
        #expect(bench.service.refreshCount == 0)
        await hold.release()
        bench.clock.advance(by: .seconds(60))
        #expect(try await auth.accessToken().value.revealText() == "access-2")
    }

    @Test("a token's refresh that begins during another process's adopts what that one stored", .law(4))
    func adoptsDuringWait() async throws {
        let (bench, first) = try await Bench.ended()
        let second = try bench.process(seed: 9)
        let held = try await bench.service.hold { try await first.accessToken() }
        let two = Task { try await second.accessToken() }
        held.answer()
        #expect(try await held.value == two.value)
        #expect(bench.service.refreshCount == 1)
    }

    @Test("an answer that brings no token of the wanted kind is stored all the same, and said to be malformed")
    func answerWithoutToken() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(refreshes: .refreshed(CredentialChange(refreshToken: Secret("refresh-x"))))
        // The record still has the ended token; it is not handed out as the answer.
        #expect(await code { try await auth.accessToken() } == .untrusted(.malformed))
        #expect(try await bench.store.onlyRecord().document["credential"]?["renewal"]?.string == "refresh-x")
    }
}
