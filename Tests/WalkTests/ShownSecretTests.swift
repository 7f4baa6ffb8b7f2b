import Latchkey
import LatchkeyJSON
import LatchkeyModel
import LatchkeyTesting
import Testing

/// Law 10, for what a window shows.
@MainActor @Suite("What a window shows holds no secret") struct ShownSecretTests {
    /// Everything that a window can show of `model`, and what a careless `print` or `dump` of it says.
    private func texts(_ model: AuthModel) -> String {
        var all = ""
        for language in TextLanguage.allCases {
            let screen = model.stage.challenge
            let said: [String?] = [
                model.loadingText, model.successText(in: language), model.pauseText(in: language),
                model.elsewhereText(in: language), model.notice?.text(in: language),
                model.notice?.guidance(in: language), screen?.title(in: language),
                screen?.instruction(in: language), screen?.resendText(in: language),
                model.expiryWarning?.text(at: MonotonicInstant(nanoseconds: 0), in: language),
            ]
            all += said.compactMap(\.self).joined(separator: "\n")
            all += model.form.hints().map { "\($0)" }.joined(separator: "\n")
        }
        let values: [Any] = [
            model.state, model.stage, model.form, model.accounts, model.activity as Any, model.notice as Any,
            model.expiryWarning as Any, model.purposes, model,
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped, maxDepth: 8)
            all += "\(value)\n\(String(reflecting: value))\n\(dumped)\n"
        }
        return all
    }

    @Test(
        "no password, code or token is in its texts, descriptions and dumps, at any step of a sign-in",
        arguments: Dialect.withPassword)
    func never(_ dialect: Dialect) async throws {
        let town = try Town(dialect)
        defer { town.stop() }
        let key = try await town.enrol()
        let store = MemoryStore(context: .testing(clock: town.clock))
        let person = try await Walker(town, client: town.client(store))
        var shown = ""
        func look() { shown += texts(person.model) }
        person.fillIn(.grace, password: "wrong horse")
        person.model.onMove = { _ in look() }
        look()
        #expect(await person.model.submit() != .done)
        #expect(await person.send(.grace) == .done)
        await person.chooseApp()
        #expect(await person.type("987987") != .done)
        person.model.editChallenge { $0.setEntry(town.appCode(key)) }
        let code = town.appCode(key)
        look()
        #expect(await person.model.answer() == .done)
        look()
        let token = try #require(person.client.currentToken()).value.revealText()
        let renewals = try store.keys(.credential).compactMap { key in
            try JSON.parse(store.read(key)?.bytes ?? [])["credential"]?["renewal"]?.string
        }.filter { $0 != dialect.address(.grace) }  // The small pool's refresh token is the address.
        #expect(await person.model.signOut() == .done)
        #expect(shown.contains(dialect.address(.grace)), "The test looked at nothing.")
        let secrets = ["wrong horse", dialect.password(.grace), "987987", code, token] + renewals
        for (number, secret) in secrets.enumerated() {
            let isShown = shown.contains(secret)
            #expect(!isShown, "secret \(number)")
        }
    }
}
