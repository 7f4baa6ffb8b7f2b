import Latchkey
import LatchkeyModel
import LatchkeyTesting

/// A person in front of the model of one window.
@MainActor struct Walker {
    let town: Town
    let client: AuthClient
    let model: AuthModel

    /// A window over a client, or over a new one.
    init(_ town: Town, client: AuthClient? = nil, expecting: Dialect.Person? = nil) async throws {
        self.town = town
        self.client = try client ?? town.client(MemoryStore(context: .testing(clock: town.clock)))
        var options = ModelOptions()
        options.language = .english
        options.signIn.redirect = Town.redirect
        options.signIn.loginHint = expecting?.rawValue
        model = AuthModel(self.client, options, context: .testing(clock: town.clock))
        guard await model.start() == .done else { throw Town.Stuck() }
    }

    /// Runs `work` for a person at a service of `dialect`.
    static func walk(at dialect: Dialect, _ work: (Walker) async throws -> Void) async throws {
        let town = try Town(dialect)
        defer { town.stop() }
        try await work(Walker(town))
    }

    /// Fills in the form. A service without a password here is visited.
    func fillIn(_ person: Dialect.Person, password: String? = nil, for purpose: ModelPurpose = .signIn) {
        model.show(purpose)
        let kind: SignInMethod.Kind = town.dialect == .oauth ? .browser : .password
        model.form.method = model.form.methods.first { $0.kind == kind }
        model.form.identifier = " \(town.dialect.address(person)) "
        model.form.setPassword(password ?? town.dialect.password(person))
    }

    /// Fills in the form and sends it.
    func send(
        _ person: Dialect.Person, password: String? = nil, for purpose: ModelPurpose = .signIn
    ) async -> IntentResult {
        fillIn(person, password: password, for: purpose)
        return await model.submit()
    }

    /// Types `code` and sends it.
    func type(_ code: String) async -> IntentResult {
        model.editChallenge { $0.setEntry(code) }
        return await model.answer()
    }

    /// Chooses the authenticator app, if the service lets the person choose.
    func chooseApp() async {
        guard kind == .choose else { return }
        model.editChallenge { $0.choose("totp") }
        _ = await model.answer()
    }

    /// Opens the page that the service wants visited, and comes back.
    func visit() async throws -> IntentResult {
        if kind != .visit { _ = await send(.ada) }
        guard case .visit(let url, _)? = model.stage.challenge?.ask else { throw Town.Stuck() }
        return await model.answer(.redirected(Secret(try await town.browse(url))))
    }

    /// Signs in, by whatever it takes.
    func signIn(_ person: Dialect.Person) async throws {
        var result = await send(person)
        await chooseApp()
        if kind == .totp { result = await type(town.appCode()) }
        if kind == .visit { result = try await visit() }
        guard result == .done, model.state == .signedIn else { throw Town.Stuck() }
        model.dismiss()
    }

    /// Moves the clock by some seconds, one by one, and returns when `condition` holds.
    func advance(by seconds: Int, until condition: () -> Bool) async throws {
        for _ in 0..<seconds { town.clock.advance(by: .seconds(1)) }
        for _ in 0..<1_000_000 {
            if condition() { return }
            await Task.yield()
        }
        throw Town.Stuck()
    }

    /// What is shown of a challenge.
    var kind: ChallengeScreen.Kind? { model.stage.challenge?.kind }
}

extension IntentResult {
    /// Why it failed.
    var code: AuthError.Code? {
        guard case .failed(let error) = self else { return nil }
        return error.code
    }
}
