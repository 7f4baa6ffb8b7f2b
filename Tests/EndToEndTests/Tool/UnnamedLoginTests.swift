import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyCommand

@Suite("the tool where the service names no person") struct UnnamedLoginTests {
    @Test("a login takes the place of the one before, shows no random id, and a logout leaves nobody signed in")
    func over() async throws {
        let scene = try await SignedIn({ _ in }, "--scope", "read", "--scope", "offline_access")
        let again = try await SignedIn.login(scene.tool, scene.server)
        #expect(again.status == 0 && again.output.contains("Signed in as a person without a name"), "\(again.output)")
        let accounts = try await scene.run("accounts", "--json").json?["accounts"]?.array
        #expect(accounts?.count == 1 && accounts?.first?["label"] == nil)
        // It is not known whether that would end the new session too.
        #expect(scene.server.log().count { $0.endpoint == .revocation } == 0)
        for command in [["status"], ["accounts"], ["whoami"], ["doctor"]] {
            let shown = try await scene.start(command).wait()
            #expect(shown.output.contains("a person without a name") || command == ["doctor"], "\(shown.output)")
            #expect(shown.output.firstMatch(of: /[0-9a-f]{32}/) == nil, "\(shown.output)")
        }
        #expect(try await scene.run("logout").status == 0)
        #expect(try await scene.run("status").status == 3)
        #expect(try await scene.run("accounts", "--json").json?["accounts"]?.array?.isEmpty == true)
    }

    @Test("in French too, and an id that an earlier version made is no name either")
    func words() {
        let french = ToolTexts(language: .french)
        let binding = ProviderBinding(provider: "oauth", authority: "https://id.example", client: "c")
        for id in [AccountID(unnamedAt: binding), AccountID(subject: "00112233445566778899aabbccddeeff", of: binding)] {
            #expect(AccountReport.name(nil, id, french) == "une personne sans nom")
            #expect(AccountReport.name("Ada", id, french) == "Ada")
        }
    }

    @Test("a person whom the service names by an id alone is shown by that id, and without what stands before it")
    func subject() {
        let binding = ProviderBinding(provider: "oauth", authority: "https://id.example", client: "c")
        for (subject, id) in [
            ("7f3c-ada", "7f3c-ada"), ("https://login.example/t1 s1", "s1"), ("Ada Lovelace", "Ada Lovelace"),
        ] {
            let account = AccountID(subject: subject, of: binding)
            #expect(AccountReport.name(nil, account, .english) == "the person with the id \(id)")
            #expect(AccountReport.name(nil, account, ToolTexts(language: .french)).hasSuffix("l’identifiant est \(id)"))
            #expect(AccountReport.name("ada@example.test", account, .english) == "ada@example.test")
        }
    }

    @Test("login, status, accounts and whoami call a person without a name by the id, alike")
    func commands() async throws {
        let scene = try await SignedIn({ _ in }, "--scope", "openid", "--scope", "offline_access")
        let subject = try #require(try await scene.run("whoami", "--json").json?["sub"]?.string)
        for command in ["status", "accounts", "whoami"] {
            let shown = try await scene.run(command).output
            #expect(shown.contains("the person with the id \(subject)"), "\(shown)")
        }
    }
}
