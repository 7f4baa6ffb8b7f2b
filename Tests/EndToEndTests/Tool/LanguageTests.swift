import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("The tool's languages") struct LanguageTests {
    @Test("a wrong command line, the help, a checkup and an event are in French too, and keep what names something")
    func everywhere() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        let french = ["LC_ALL": "fr_FR.UTF-8"]
        let usage = try await tool.run("token", "--min-validity", "90", environment: french)
        #expect(
            usage.errors
                == "latchkey: La valeur de --min-validity n’est pas une durée telle que 90s, 5m ou 1h30m\n"
                + "conseil : Lancez : latchkey help token\n")
        let typo = try await tool.run("tokne", environment: french).errors
        #expect(typo.hasSuffix("conseil : Vouliez-vous dire token ?\n"))
        let help = try await tool.run("help", "store", environment: french).output
        #expect(help.contains("Usage : latchkey store [OPTION]...") && help.contains("  --to PLACE"))
        #expect(!help.contains("Usage:") && !help.contains("with"))
        let unknown = try await tool.run("status", "--profile", "elsewhere", environment: french)
        #expect(unknown.errors.hasPrefix("latchkey: Il n’y a pas de profil « elsewhere »\n"))
        _ = try await tool.run(
            "login", "--issuer", server.issuer, "--client-id", "dev-device", "--device", environment: french)
        let doctor = try await tool.run("doctor", environment: french).output
        #expect(doctor.contains("est sur cette machine, sans TLS") && !doctor.contains("is "))
        let asJSON = try await tool.run("doctor", "--json", environment: french).output
        #expect(asJSON.contains("is on this machine, without TLS"))
        let events = try await tool.run("events", environment: french).output
        #expect(events.contains("ada@example.test : connecté"))
        let refused = try await tool.run("token", "--audience", "https://nowhere.example", environment: french)
        #expect(refused.errors.contains("(") && refused.errors.contains("conseil : "))
    }

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
