import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// Tokens that are minted under a long-lived secret: section 6 of `Documentation/Internals/Lane.md`.
@Suite struct MintingTests {
    /// A bench whose token has ended, and two processes on it.
    private func ended() async throws -> (Bench, AuthClient, AuthClient) {
        let bench = Bench(rules: .scripted(refresh: .mints))
        let auth = try await bench.signedIn()
        let other = try bench.process(seed: 9)
        try await other.restore()
        bench.clock.advance(by: .seconds(3_600))
        return (bench, auth, other)
    }

    @Test("D1: what is minted after another process signed out is not handed out")
    func signedOutMeanwhile() async throws {
        let (bench, auth, other) = try await ended()
        let held = try await bench.service.hold(then: .minted) { try await auth.accessToken() }
        try await other.signOut()
        held.answer()
        #expect(await code { try await held.value } == .signInRequired(.signedOut))
        #expect(auth.currentToken() == nil)
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("D2, D4: minting processes go one after another, and the second takes what the first got", .law(1))
    func oneAfterAnother() async throws {
        let (bench, first, second) = try await ended()
        let held = try await bench.service.hold { try await first.accessToken() }
        let two = Task { try await second.accessToken() }
        await bench.settle()
        #expect(bench.service.refreshCount == 1)
        held.answer()
        #expect(try await held.value == two.value)
        #expect(bench.service.sentSecrets == ["refresh-1"])
    }

    @Test("D2: a refusal is asked about once more, and believed only if the store still holds what was sent")
    func refusal() async throws {
        let (bench, auth, _) = try await ended()
        let refused = ScriptedProvider.RefreshStep.refused(Refusal(.definite, code: "signed_out"))
        bench.service.script(refreshes: refused, .minted)
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: refused, refused)
        #expect(await code { try await auth.accessToken() } == .signInRequired(.refused))
        #expect(bench.service.refreshCount == 4)
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("D2: a refusal of what another process has replaced meanwhile is not asked about, and adopts")
    func refusedButReplaced() async throws {
        let (bench, auth, _) = try await ended()
        let held = try await bench.service.hold(then: .refused(Refusal(.definite, code: "signed_out"))) {
            try await auth.accessToken()
        }
        try await bench.store.inner.swapRefreshToken(to: "winner", access: "winner-access", at: bench.clock)
        held.answer()
        #expect(try await held.value.value.revealText() == "winner-access")
        #expect(bench.service.refreshCount == 1)
    }

    @Test("D3: an answer without a session is not stored over a good secret, and asked for once more")
    func emptyAnswer() async throws {
        let (bench, auth, _) = try await ended()
        bench.service.script(refreshes: .refreshed(CredentialChange(refreshToken: Secret("empty"))), .minted)
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        #expect(try await bench.storedSecret == "refresh-1")
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(
            refreshes: .refreshed(CredentialChange(refreshToken: Secret("empty"))),
            .refreshed(CredentialChange(refreshToken: Secret("empty"))))
        #expect(await code { try await auth.accessToken() } == .untrusted(.malformed))
        #expect(try await bench.storedSecret == "refresh-1")
    }

    @Test("D6: a secret that came with an error takes the place of the one that was sent")
    func carried() async throws {
        let (bench, auth, _) = try await ended()
        bench.service.script(
            refreshes: .carrying(Secret("newer"), then: .failed(AuthError(.serviceTrouble, "No."))), .minted)
        #expect(await code { try await auth.accessToken() } == .serviceTrouble)
        #expect(try await bench.storedSecret == "newer")
        bench.clock.advance(by: .seconds(600))
        _ = try await auth.accessToken()
        #expect(bench.service.sentSecrets == ["refresh-1", "newer"])
    }

    @Test("a refusal that brought a secret is asked about once more with it, and then believed")
    func carriedWithRefusal() async throws {
        let (bench, auth, _) = try await ended()
        let refused = ScriptedProvider.RefreshStep.refused(Refusal(.definite, code: "signed_out"))
        bench.service.script(refreshes: .carrying(Secret("newer"), then: refused), .minted)
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        #expect(bench.service.sentSecrets == ["refresh-1", "newer"])
        #expect(try await bench.storedSecret == "newer")
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: .carrying(Secret("newest"), then: refused), refused)
        #expect(await code { try await auth.accessToken() } == .signInRequired(.refused))
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("D7: a secret that came with an error never takes the place of another than the one that was sent")
    func carriedTooLate() async throws {
        let (bench, auth, _) = try await ended()
        let failed = ScriptedProvider.RefreshStep.failed(AuthError(.serviceTrouble, "No."))
        let held = try await bench.service.hold(then: .carrying(Secret("late"), then: failed)) {
            try await auth.accessToken()
        }
        try await bench.store.inner.swapRefreshToken(to: "winner", access: "winner-access", at: bench.clock)
        held.answer()
        _ = try? await held.value
        #expect(try await bench.storedSecret == "winner")
    }

    @Test("somebody who signed out meanwhile is not brought back by a secret that came with an error")
    func carriedAfterSignOut() async throws {
        let (bench, auth, other) = try await ended()
        let failed = ScriptedProvider.RefreshStep.failed(AuthError(.serviceTrouble, "No."))
        let held = try await bench.service.hold(then: .carrying(Secret("late"), then: failed)) {
            try await auth.accessToken()
        }
        try await other.signOut()
        held.answer()
        _ = try? await held.value
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test(
        "D6: a secret that came with an error after a sign-out is what the service is told with",
        arguments: [true, false])
    func carriedAfterSignOutIsRevoked(isToldAtOnce: Bool) async throws {
        let (bench, auth, other) = try await ended()
        let failed = ScriptedProvider.RefreshStep.failed(AuthError(.serviceTrouble, "No."))
        let held = try await bench.service.hold(then: .carrying(Secret("late"), then: failed)) {
            try await auth.accessToken()
        }
        if !isToldAtOnce {
            bench.service.script(revocations: .failed(TransportError(.unreachable, wasSent: false)))
        }
        #expect(try await other.signOut() == (isToldAtOnce ? .revoked : .revocationQueued))
        held.answer()
        _ = try? await held.value
        #expect(bench.service.revokedSecrets.last == "late")
        #expect(try await bench.owed == 0)
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("a write of somebody else's, or a failing store, costs the secret nothing but a try")
    func carriedThroughConflict() async throws {
        let (bench, auth, _) = try await ended()
        let store = bench.store.inner
        bench.store.script(replaces: .after { try await store.change { $0["extra"] = "kept" } })
        bench.service.script(
            refreshes: .carrying(Secret("newer"), then: .failed(AuthError(.serviceTrouble, "No."))))
        _ = try? await auth.accessToken()
        #expect(try await bench.storedSecret == "newer")
        #expect(try await bench.store.onlyRecord().document["extra"]?.string == "kept")
    }

    @Test("D6: an operation that fails hands its secret over too")
    func carriedByOperation() async throws {
        let bench = Bench(rules: .scripted(refresh: .mints))
        let auth = try await bench.signedIn()
        let error = await code {
            try await auth.perform(on: nil, replay: .fixed) { _, context -> (CredentialChange, Int) in
                context.carry(Secret("newer"))
                throw AuthError(.refused(.wrongInput), "No.")
            }
        }
        #expect(error == .refused(.wrongInput))
        #expect(try await bench.storedSecret == "newer")
        let number = try await auth.perform(on: nil, replay: .fixed) { credential, context in
            #expect(credential.refreshToken?.revealText() == "newer")
            context.carry(Secret("newest"))
            return (CredentialChange(), 7)
        }
        #expect(number == 7)
        #expect(try await bench.storedSecret == "newest")
    }

    @Test("D5: somebody else's write between asking and storing costs a try, and nothing else")
    func foreignWrite() async throws {
        let (bench, auth, _) = try await ended()
        let store = bench.store.inner
        bench.store.script(replaces: .after { try await store.change { $0["extra"] = "kept" } })
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        #expect(try await bench.storedSecret == "refresh-2")
        #expect(try await bench.store.onlyRecord().document["extra"]?.string == "kept")
        #expect(bench.service.revokeCount == 0)
    }
}
