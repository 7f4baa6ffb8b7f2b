import Latchkey
import Testing

@testable import LatchkeyCommand

@Suite("The account that is meant") struct AccountChoiceTests {
    private static func account(_ subject: String, _ label: String?) -> Account {
        let binding = ProviderBinding(provider: "oauth", authority: "https://id.example", client: "notes")
        return Account(
            id: AccountID(subject: subject, of: binding), provider: "oauth", authority: "https://id.example",
            label: label, state: .fresh)
    }

    private let accounts = [account("1", "ada"), account("2", "bob"), account("3", "bob"), account("ada", nil)]

    @Test("is found by id, and by subject where no other has the name")
    func finds() throws {
        #expect(try AccountChoice.find("oauth https://id.example 3", among: accounts) == accounts[2])
        #expect(try AccountChoice.find("2", among: accounts) == accounts[1])
    }

    @Test("is not guessed where several have the name", arguments: ["bob", "ada"])
    func ambiguous(_ name: String) {
        #expect(throws: UsageError.self) { try AccountChoice.find(name, among: accounts) }
    }

    @Test("is required to be signed in", arguments: ["eve", "", "example 1", "oauth"])
    func unknown(_ name: String) {
        let error = #expect(throws: ToolError.self) { try AccountChoice.find(name, among: accounts) }
        #expect(error?.error?.code == .signInRequired(.signedOut))
    }
}
