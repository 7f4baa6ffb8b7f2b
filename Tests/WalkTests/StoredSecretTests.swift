import Latchkey
import LatchkeyJSON
import LatchkeyModel
import LatchkeyTesting
import Proofs
import Testing

/// What is at rest at each moment of a sign-in.
@MainActor @Suite("What is typed is never stored") struct StoredSecretTests {
    /// Every text in the store.
    private func texts(_ store: MemoryStore) throws -> [String] {
        try StoreKey.Kind.allCases.flatMap { store.keys($0) }.flatMap { key in
            Self.texts(try JSON.parse(store.read(key)?.bytes ?? []))
        }
    }

    private static func texts(_ value: JSON) -> [String] {
        if let text = value.string { return [text] }
        return (value.array ?? []).flatMap(texts) + (value.object ?? [:]).values.flatMap(texts)
    }

    @Test(
        "no password or code is in the store while a challenge waits, while the person is signed in, or afterwards",
        .need("B7"),
        arguments: Dialect.withPassword)
    func never(_ dialect: Dialect) async throws {
        let town = try Town(dialect)
        defer { town.stop() }
        let key = try await town.enrol()
        let store = MemoryStore(context: .testing(clock: town.clock))
        let person = try await Walker(town, client: town.client(store))
        let (passwords, codes) = ([dialect.password(.grace), "wrong horse"], ["000000", town.appCode(key)])
        func expectNothing(_ moment: Comment) throws {
            let texts = try texts(store)
            // A code is short enough to be in a token by chance.
            let found = texts.contains { text in codes.contains(text) || passwords.contains(where: text.contains) }
            #expect(!found, moment)
        }
        #expect(await person.send(.grace, password: "wrong horse") != .done)
        try expectNothing("after a wrong password")
        #expect(await person.send(.grace) == .done)
        #expect(try !texts(store).isEmpty)
        try expectNothing("while the service asks")
        await person.chooseApp()
        #expect(await person.type("000000") != .done)
        try expectNothing("after a wrong code")
        #expect(await person.type(town.appCode(key)) == .done)
        // The address is: a screen shows who is signed in.
        #expect(try texts(store).contains(dialect.address(.grace)))
        try expectNothing("while signed in")
        #expect(await person.model.signOut() == .done)
        #expect(try !texts(store).contains(dialect.address(.grace)))
        try expectNothing("after the sign-out")
    }
}
