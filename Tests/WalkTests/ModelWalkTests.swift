import Latchkey
import LatchkeyDevServer
import LatchkeyModel
import LatchkeyTesting
import Proofs
import Testing

/// The model over the real providers and their services.
@MainActor @Suite("The model at each service") struct ModelWalkTests {
    @Test(
        "a new account: the form, a wrong code of the mail and the right one, and the person is there", .need("R1"),
        arguments: Dialect.withPassword)
    func signUp(_ dialect: Dialect) async throws {
        try await Walker.walk(at: dialect) { person in
            let model = person.model
            #expect(model.purposes.contains(.signUp))
            #expect(await person.send(.new, for: .signUp) == .done)
            #expect(person.kind == .code)
            #expect(await person.type("000000").code == .refused(.wrongInput))
            #expect(model.stage.challenge?.wasWrong == true)
            #expect(model.stage.challenge?.isAnswerable == false)
            #expect(await person.type(person.town.code(dialect.address(.new))) == .done)
            if model.stage.phase == .elsewhere {
                // This service confirms the address, and wants a sign-in of its own.
                #expect(model.elsewhereText == "Everything is done; sign in now")
                #expect(await person.send(.new) == .done)
            } else {
                #expect(model.successText == "Your account is ready")
            }
            #expect(model.state == .signedIn)
            #expect(model.person?.label == dialect.address(.new))
        }
    }

    @Test(
        "a wrong password, the right one, then a wrong and the right code of the app", .need("R1"),
        arguments: Dialect.withPassword)
    func factor(_ dialect: Dialect) async throws {
        try await Walker.walk(at: dialect) { person in
            let model = person.model
            let key = try await person.town.enrol()
            #expect(await person.send(.grace, password: "wrong horse").code == .refused(.wrongInput))
            #expect(model.stage.phase == .form)
            #expect(model.form.password.isEmpty)
            #expect(model.form.identifier == " \(dialect.address(.grace)) ")
            #expect(await person.send(.grace) == .done)
            await person.chooseApp()
            #expect(await person.type("000 000").code == .refused(.wrongInput))
            #expect(model.stage.challenge?.wasWrong == true)
            #expect(model.state == .signedOut)
            #expect(await person.type(person.town.appCode(key)) == .done)
            #expect(model.stage.phase == .succeeded)
            #expect(model.person?.label == dialect.address(.grace))
        }
    }

    @Test("an authenticator app that the service demands is set up within the sign-in, after a wrong first code")
    func enrolment() async throws {
        let town = try Town(.cognito, demandsApp: true)
        let person = try await Walker(town)
        #expect(await person.send(.ada) == .done)
        guard case .enrolment(let enrolment)? = person.model.stage.challenge?.ask else { throw Town.Stuck() }
        #expect(enrolment.address.hasPrefix("otpauth://totp/"))
        #expect(await person.type("000000").code == .refused(.wrongInput))
        #expect(await person.type(town.appCode(enrolment.key)) == .done)
        #expect(person.model.state == .signedIn)
    }

    @Test(
        "a lost password: the mail's code, a new password, and the old one is refused afterwards",
        arguments: Dialect.withPassword)
    func recover(_ dialect: Dialect) async throws {
        try await Walker.walk(at: dialect) { person in
            let model = person.model
            #expect(await person.send(.ada, for: .recover) == .done)
            let code = person.town.code(dialect.address(.ada))
            if person.kind == .fields {
                // This service takes both in one call.
                model.editChallenge { screen in
                    screen.set("code", code)
                    screen.set("password", "another horse")
                }
                #expect(await model.answer() == .done)
            } else {
                #expect(await person.type(code) == .done)
                #expect(person.kind == .newPassword)
                #expect(await person.type("another horse") == .done)
            }
            #expect(model.successText == "You are back in your account")
            #expect(await model.signOut() == .done)
            #expect(await person.send(.ada).code == .refused(.wrongInput))
            #expect(await person.send(.ada, password: "another horse") == .done)
            #expect(model.state == .signedIn)
        }
    }

    @Test("a visit: a redirect of another sign-in is refused, and the service's own signs in", .need("N22"))
    func visit() async throws {
        try await Walker.walk(at: .oauth) { person in
            let model = person.model
            #expect(await person.send(.ada) == .done)
            guard case .visit(let url, _)? = model.stage.challenge?.ask else { throw Town.Stuck() }
            let forged = Secret("\(Town.redirect)?code=stolen&state=another")
            #expect(await model.answer(.redirected(forged)).code == .untrusted(.state))
            // Its state is good for one answer, right or wrong.
            #expect(model.stage.phase == .form)
            let late = Secret(try await person.town.browse(url))
            #expect(await model.answer(.redirected(late)) == .notNow)
            #expect(try await person.visit() == .done)
            #expect(model.state == .signedIn)
        }
    }

    @Test(
        "two accounts: the newest is the current one, either can be it, and they sign out one by one",
        arguments: Dialect.allCases)
    func accounts(_ dialect: Dialect) async throws {
        try await Walker.walk(at: dialect) { first in
            try await first.signIn(.ada)
            // Another window, which a service without a form tells who is expected.
            let second = try await Walker(first.town, client: first.client, expecting: .grace)
            try await second.signIn(.grace)
            let model = second.model
            #expect(model.accounts.count == 2)
            let (grace, ada) = (model.accounts[0], model.accounts[1])
            #expect(await model.switchTo(ada.id) == .done)
            #expect(model.person?.id == ada.id)
            #expect(await model.signOut() == .done)
            #expect(model.accounts.map(\.id) == [grace.id])
            #expect(model.state == .signedIn)
            #expect(await model.signOut() == .done)
            #expect(model.state == .signedOut)
            #expect(first.town.server.supabaseSessions().isEmpty)
            #expect(first.town.server.clerkSessionCount == 0)
        }
    }

    @Test("a window that opens later finds the person, without a request", arguments: Dialect.allCases)
    func launch(_ dialect: Dialect) async throws {
        let town = try Town(dialect)
        defer { town.stop() }
        let store = MemoryStore(context: .testing(clock: town.clock))
        let first = try await Walker(town, client: town.client(store))
        try await first.signIn(.ada)
        let sent = town.wire.count
        let next = try await Walker(town, client: town.client(store, seed: 2))
        #expect(next.model.state == .signedIn)
        #expect(next.model.person?.id == first.model.person?.id)
        #expect(town.wire.count == sent)
    }
}
