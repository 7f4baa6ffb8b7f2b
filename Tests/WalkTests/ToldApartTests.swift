import Latchkey
import LatchkeyDevServer
import LatchkeyModel
import LatchkeyTesting
import Proofs
import Testing

/// What went wrong, as the person reads it.
@MainActor @Suite("Failures of a sign-in are told apart at each service") struct ToldApartTests {
    /// Lets the service, or what is in front of it, answer the next request in its place.
    private func disturb(_ town: Town, _ status: Int, retryAfter: Int? = nil) {
        let endpoint: DevServer.Endpoint
        switch town.dialect {
        case .supabase: endpoint = .supabaseToken
        case .clerk: endpoint = .clerk
        case .oauth: endpoint = .discovery
        case .cognito: return town.wire.set(.answered(status, retryAfter: retryAfter))
        }
        let kind: DevServer.Fault.Kind = retryAfter == nil ? .status : .retryAfter
        #expect(town.server.inject(.init(kind, at: endpoint, status: status, seconds: retryAfter ?? 0)))
    }

    /// Sends the form once more, or begins the visit again, with what is typed.
    private func again(_ person: Walker) async throws {
        #expect(await person.model.submit() == .done)
        if person.kind == .visit { #expect(try await person.visit() == .done) }
        #expect(person.model.state == .signedIn)
    }

    @Test(
        "no network: the connection is to be looked at, and what was typed stays", .need("N13"),
        arguments: Dialect.allCases)
    func noNetwork(_ dialect: Dialect) async throws {
        try await Walker.walk(at: dialect) { person in
            let model = person.model
            person.town.wire.set(.cut)
            #expect(await person.send(.ada).code == .offline(.signIn))
            #expect(model.notice?.presses.first == .tryAgain)
            #expect(
                model.notice?.guidance(in: .english)
                    == "Look at the connection; nothing that you entered was judged")
            #expect(model.form.password.revealText() == dialect.password(.ada))
            person.town.wire.set(.fair)
            try await again(person)
        }
    }

    @Test("a 503 is the service's trouble, and what was typed stays", .need("N12"), arguments: Dialect.allCases)
    func trouble(_ dialect: Dialect) async throws {
        try await Walker.walk(at: dialect) { person in
            let model = person.model
            disturb(person.town, 503)
            #expect(await person.send(.ada).code == .serviceTrouble)
            #expect(model.notice?.guidance(in: .english) == "It is not your fault; try again in a while")
            #expect(model.form.password.revealText() == dialect.password(.ada))
            person.town.wire.set(.fair)
            try await again(person)
        }
    }

    @Test(
        "a 429 is a pause that is counted down; nothing is sent in it, and the form comes back as it was", .need("N12"),
        arguments: Dialect.allCases)
    func pause(_ dialect: Dialect) async throws {
        try await Walker.walk(at: dialect) { person in
            let model = person.model
            disturb(person.town, 429, retryAfter: 7)
            #expect(await person.send(.ada).code == .rateLimited)
            person.town.wire.set(.fair)
            #expect(model.stage.phase == .formPause)
            #expect(model.pauseText == "Try again in 7 s")
            let sent = person.town.wire.count
            #expect(await model.submit() == .notNow)
            #expect(person.town.wire.count == sent)
            try await person.advance(by: 6) { model.countdown?.secondsLeft == 1 }
            #expect(await model.submit() == .notNow)
            try await person.advance(by: 1) { model.stage.phase == .form }
            #expect(model.form.password.revealText() == dialect.password(.ada))
            try await again(person)
        }
    }

    @Test(
        "a wrong password is the person's to correct: the notice says so, and the password alone is gone",
        .need("N12", "N13"),
        arguments: Dialect.withPassword)
    func wrong(_ dialect: Dialect) async throws {
        try await Walker.walk(at: dialect) { person in
            let model = person.model
            #expect(await person.send(.ada, password: "wrong horse").code == .refused(.wrongInput))
            #expect(model.notice?.presses == [.correct, .dismiss])
            #expect(model.notice?.guidance(in: .english) == "Check what you entered, then try again")
            #expect(model.form.password.isEmpty)
            #expect(!model.form.identifier.isEmpty)
            model.form.setPassword(dialect.password(.ada))
            try await again(person)
        }
    }

    @Test(
        "somebody whom the service does not know reads the same as somebody who mistyped",
        arguments: Dialect.withPassword)
    func unknown(_ dialect: Dialect) async throws {
        try await Walker.walk(at: dialect) { person in
            _ = await person.send(.ada, password: "wrong horse")
            let mistyped = person.model.notice?.text(in: .english)
            #expect(await person.send(.new).code == .refused(.wrongInput))
            #expect(person.model.notice?.text(in: .english) == mistyped)
        }
    }

    @Test("a person's no at the service's own page is told as such, and leads back to the form")
    func declined() async throws {
        try await Walker.walk(at: .oauth) { person in
            #expect(await person.send(.ada) == .done)
            guard case .visit(let url, _)? = person.model.stage.challenge?.ask else { throw Town.Stuck() }
            let state = url.firstMatch(of: /[?&]state=([^&]+)/)?.1 ?? ""
            let no = Secret("\(Town.redirect)?error=access_denied&state=\(state)&iss=\(person.town.server.issuer)")
            #expect(await person.model.answer(.redirected(no)).code == .declined)
            #expect(person.model.stage.phase == .form)
        }
    }
}
