import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// Linking and stepping up: conversations about somebody who is signed in.
@Suite struct PrincipalTests {
    private func asked(_ bench: Bench, _ ask: Ask = .totp) -> ScriptedProvider.TurnStep {
        .turn(
            .asked(Challenge(id: "0123456789abcdef0123456789", binding: bench.service.rules.binding, ask: ask)))
    }

    /// The present session with another token, as a service answers that proves a factor.
    private func raised(_ bench: Bench, to number: Int) async throws -> Grant {
        let account = AccountID(subject: "alice", of: bench.service.rules.binding)
        let token = AccessToken(
            Secret("raised-\(number)"),
            lifetime: Lifetime(
                receivedAt: bench.clock.now(), boot: bench.clock.boot, wall: bench.clock.wall(), lasts: .seconds(3_600))
        )
        let session = AuthSession(
            id: AuthSession.ID("session-1"), account: account, label: "alice", tokens: [.standard: token])
        return Grant(refreshToken: Secret("refresh-raised-\(number)"), session)
    }

    private let person = ScriptedPresenter(answering: { _ in .code(Secret("123456")) })

    @Test("a link and a step-up are observed as what they are, refused ones too, and never as a sign-in")
    func observed() async throws {
        let (bench, auth) = try await Bench.ended(.scripted(elevation: .fixed))
        bench.service.script(turns: asked(bench), .turn(.signedIn(try await raised(bench, to: 1))))
        _ = try await auth.link(.custom(name: "badge"), asking: person)
        bench.service.script(turns: asked(bench), .failed(AuthError(.refused(.denied), "No.")))
        #expect(await code { try await auth.stepUp(asking: person) } == .refused(.denied))
        let proofs = bench.observer.observations.compactMap { observation -> String? in
            guard case .furtherProof(let what, _, _, let failure, _) = observation else { return nil }
            return "\(what) \(failure?.name ?? "done")"
        }
        #expect(proofs == ["link done", "stepUp refused.denied"])
        #expect(bench.observer.observations.filter { if case .signIn = $0 { true } else { false } }.count == 1)
    }

    @Test("a proof that brings a session of its own is told as a new token; another person's session is a sign-in")
    func told() async throws {
        let bench = Bench(rules: .scripted(elevation: .fixed))
        let auth = try await bench.signedIn()
        let alice = AccountID(subject: "alice", of: bench.service.rules.binding)
        let bob = AccountID(subject: "bob", of: bench.service.rules.binding)
        let events = auth.events
        bench.service.script(turns: asked(bench), .granted(to: "alice"), asked(bench), .granted(to: "bob"))
        _ = try await auth.stepUp(asking: person)
        _ = try await auth.link(.custom(name: "badge"), asking: person)
        var heard: [AuthEvent] = []
        for await event in events {
            heard.append(event)
            if case .signedIn = event { break }
        }
        #expect(heard.first == .refreshed(alice, .standard))
        #expect(heard.last == .signedIn(bob) && !heard.contains(.signedIn(alice)))
    }

    @Test("a proof that ends after the session was ended is told as a sign-in")
    func toldAfterEnd() async throws {
        let bench = Bench(rules: .scripted(elevation: .fixed, revocationEndsEveryGrant: true))
        let auth = try await bench.signedIn()
        let alice = AccountID(subject: "alice", of: bench.service.rules.binding)
        let (events, latch) = (auth.events, Latch())
        bench.service.script(turns: .held(latch, then: .granted(to: "alice")))
        async let end = auth.stepUp(asking: person)
        try await bench.until { bench.service.requests.count == 2 }
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        #expect(await code { try await auth.refresh() } == .signInRequired(.refused))
        latch.open()
        _ = try await end
        _ = try await auth.signOut()
        var heard: [AuthEvent] = []
        for await event in events {
            if case .signedOut = event { break }
            heard.append(event)
        }
        #expect(heard.contains(.authenticationRequired(alice, .refused)))
        #expect(heard.contains(.signedIn(alice)))
    }

    @Test("the provider gets the newest credential in every call, with a token that is good, and the app none")
    func principalGiven() async throws {
        let (bench, auth) = try await Bench.ended(.scripted(elevation: .fixed))
        bench.service.script(turns: asked(bench), .turn(.signedIn(try await raised(bench, to: 1))))
        _ = try await auth.link(.custom(name: "badge"), asking: person)
        let given = bench.service.principals.suffix(2)
        #expect(given.count == 2 && bench.service.refreshCount == 1)
        for principal in given {
            #expect(principal?.accessToken?.value.revealText() == "access-2")
            #expect(principal?.credential.refreshToken?.revealText() == "refresh-2")
        }
        #expect(bench.service.principals.first.map { $0 == nil } == true)
    }

    @Test(
        "what is granted for the same session is stored as a refresh is, under the same login",
        arguments: [
            ProviderRules.RefreshRule.fixed, .killsFamily,
        ])
    func merged(_ elevation: ProviderRules.RefreshRule) async throws {
        let bench = Bench(rules: .scripted(refresh: .sameSuccessor, elevation: elevation))
        let auth = try await bench.signedIn()
        let login = try await bench.store.onlyRecord().document["login"]?.string
        bench.service.script(turns: asked(bench), .turn(.signedIn(try await raised(bench, to: 1))))
        let session = try await auth.stepUp(StepUp(acr: ["gold"]), asking: person)
        #expect(session.tokens[.standard]?.value.revealText() == "raised-1")
        #expect(auth.currentToken()?.value.revealText() == "raised-1")
        #expect(try await bench.storedSecret == "refresh-raised-1")
        let record = try await bench.store.onlyRecord().document
        #expect(record["login"]?.string == login && record["mark"] == nil)
        #expect(bench.service.revokeCount == 0)
    }

    @Test("a session of its own replaces the one that was there, which is owed to the service")
    func replaced() async throws {
        let bench = Bench(rules: .scripted(elevation: .fixed))
        let auth = try await bench.signedIn()
        bench.service.script(turns: asked(bench))
        _ = try await auth.stepUp(asking: person)
        #expect(try await bench.storedSecret == "refresh-2")
        try await bench.service.waitForRevocations(1)
        #expect(bench.service.revokedSecrets == ["refresh-1"])
    }

    @Test("a wrong code leaves no mark, and may be corrected")
    func corrected() async throws {
        let bench = Bench(rules: .scripted(refresh: .sameSuccessor))
        let auth = try await bench.signedIn()
        bench.service.script(
            turns: asked(bench), .failed(AuthError(.refused(.wrongInput), "wrong")),
            .turn(.signedIn(try await raised(bench, to: 1))))
        let begun = bench.clock.now()
        _ = try await auth.stepUp(asking: person)
        #expect(bench.clock.now() == begun && bench.service.answers.count == 2)
        #expect(try await bench.storedSecret == "refresh-raised-1")
    }

    @Test("an answer that is lost counts as under way, as the rules say of stepping up", .law(6))
    func lost() async throws {
        let bench = Bench(rules: .scripted(refresh: .sameSuccessor))
        let auth = try await bench.signedIn()
        bench.service.script(turns: asked(bench), .failed(TransportError(.timedOut, wasSent: true)))
        #expect(await code { try await auth.stepUp(asking: person) } == .offline(.signIn))
        #expect(try await bench.store.onlyRecord().document["mark"]?["replay"]?.string == "killsFamily")
        try await bench.forgetLeaving()
        let begun = bench.clock.now()
        let next = try bench.process(seed: 9)
        #expect(try await bench.run { try await next.refresh() }.value.revealText() == "access-2")
        #expect(bench.clock.now() - begun >= .seconds(10))
    }

    @Test("another process answers the challenge, and the provider gets the credential there")
    func elsewhere() async throws {
        let bench = Bench(rules: .scripted(elevation: .fixed))
        let auth = try await bench.signedIn()
        bench.service.script(turns: asked(bench), .turn(.signedIn(try await raised(bench, to: 1))))
        guard case .asked(let challenge) = try await auth.begin(.stepUp(StepUp()), with: "scripted") else {
            throw Bench.Stuck()
        }
        let next = try bench.process(seed: 9)
        guard case .signedIn = try await next.answer(.code(Secret("123456")), to: challenge.id) else {
            throw Bench.Stuck()
        }
        #expect(bench.service.principals.last??.credential.refreshToken?.revealText() == "refresh-1")
        #expect(try await bench.storedSecret == "refresh-raised-1")
    }

    @Test("who signs out meanwhile is asked nothing more, and what came for a login of its own is ended", .law(5))
    func leftMeanwhile() async throws {
        let bench = Bench(rules: .scripted(elevation: .fixed))
        let auth = try await bench.signedIn()
        let latch = Latch()
        bench.service.script(turns: .held(latch, then: .failed(AuthError(.declined, "no"))))
        async let end = code { try await auth.stepUp(asking: person) }
        try await bench.until { bench.service.requests.count == 2 }
        #expect(try await auth.signOut() == .revoked)
        latch.open()
        #expect(await end == .declined)
        let other = try await bench.signedIn(seed: 9)
        let second = Latch()
        let grant = try await raised(bench, to: 2)
        var foreign = grant
        foreign.sessions[0].id = AuthSession.ID("another")
        foreign.current = AuthSession.ID("another")
        bench.service.script(turns: .held(second, then: .turn(.signedIn(foreign))))
        async let late = code { try await other.stepUp(asking: person) }
        try await bench.until { bench.service.requests.count == 4 }
        _ = try await other.signOut()
        second.open()
        #expect(await late == .signInRequired(.signedOut))
        #expect(bench.service.revokedSecrets.contains("refresh-raised-2"))
    }

    @Test("nobody signed in, and what the rules do not name, are refused before anything is sent")
    func refused() async throws {
        let bench = Bench()
        let nobody = try bench.process()
        #expect(await code { try await nobody.link(.passkey, asking: person) } == .signInRequired(.signedOut))
        let auth = try await bench.signedIn()
        let begun = bench.service.beginCount
        let unknown = SignInMethod.custom(name: "unheard", fields: [:])
        #expect(await code { try await auth.link(unknown, asking: person) } == .configuration(.unsupported))
        #expect(
            await code { try await auth.signIn(with: "scripted", unknown, asking: person) }
                == .configuration(.unsupported))
        let bare = ScriptedProvider(
            rules: ProviderRules(
                binding: ProviderBinding(provider: "bare", authority: "https://id.example.com", client: "tests"),
                methods: [.password]))
        let both = try bench.process(seed: 9) { $0.provider(bare) }
        for request in [
            SignInRequest.signUp(SignUpForm(identifier: "a")), .recover(identifier: "a"), .link(.passkey),
            .stepUp(StepUp()),
        ] {
            #expect(
                await code { try await both.converse(request, with: "bare", asking: person) }
                    == .configuration(.unsupported))
        }
        #expect(
            await code { try await both.begin(.link(.custom(name: "badge")), with: "bare") }
                == .configuration(.unsupported))
        #expect(bench.service.beginCount == begun && bare.beginCount == 0)
        #expect(both.rules["bare"]?.capabilities.isEmpty == true)
    }

    @Test("where a revocation ends every grant, stepping up waits for neither lane in the wrong order")
    func everyGrant() async throws {
        let bench = Bench(rules: .scripted(elevation: .fixed, revocationEndsEveryGrant: true))
        let auth = try await bench.signedIn()
        bench.service.script(turns: asked(bench))
        _ = try await auth.stepUp(asking: person)
        #expect(bench.service.principals.last??.credential.refreshToken?.revealText() == "refresh-1")
        #expect(try await bench.storedSecret == "refresh-2" && bench.service.revokeCount == 0)
    }
}
