import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyCommand

@Suite("The tool's languages") struct LanguageTests {
    @Test("no language lacks a text")
    func whole() { #expect(ToolTexts.table.gaps == []) }

    @Test("a French environment is spoken to in French, and programs read what they always read")
    func french() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        let french = ["LC_ALL": "fr_FR.UTF-8"]
        let login = try await tool.run(
            "login", "--issuer", server.issuer, "--client-id", "dev-device", "--device", environment: french)
        #expect(login.output.hasPrefix("Connecté en tant que ada@example.test (profil default)."))
        let status = try await tool.run("status", environment: french).output
        for word in ["profil ", "emplacement", "état", "connecté", "jusqu’au"] { #expect(status.contains(word)) }
        #expect(!status.contains("signed in") && !status.contains("state"))
        let json = try await tool.run("status", "--json", environment: french).json.map { JSONField($0) }
        #expect(try json?["state"].string() == "fresh")
        #expect(try await tool.run("logout", environment: french).line == "Déconnecté.")
        let error = try await tool.run("token", environment: french)
        #expect(error.errors == "latchkey: Personne n’est connecté\nconseil : Lancez : latchkey login\n")
        let asJSON = try await tool.run("token", "--json", environment: french).errorJSON.map { JSONField($0) }
        #expect(try asJSON?["code"].string() == "signInRequired.signedOut")
        #expect(try asJSON?["message"].string().contains("connecté") == false)
    }

    @Test("English says what it always said")
    func english() async throws {
        let tool = try Tool()
        let error = try await tool.run("token", environment: ["LC_ALL": "de_DE.UTF-8"])
        #expect(error.errors.hasPrefix("latchkey: Nobody has signed in yet\nhint: Run: latchkey login --issuer URL"))
    }
}
