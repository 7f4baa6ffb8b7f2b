import LatchkeyDevServer
import Proofs
import Testing

@testable import LatchkeyCommand

@Suite("What the tool shows") struct SecrecyTests {
    /// The beginnings of the development server's tokens and codes, and of every JWT.
    private let secrets = ["dat_", "drt_", "dac_", "ddc_", "eyJ", "code_verifier"]

    @Test("no command but token shows a token, code or verifier", .law(10), .standard(17), .need("D4"))
    func commands() async throws {
        let signedIn = try await SignedIn()
        let tool = signedIn.tool
        let kept = FilesBelow.content(tool.data)
        #expect(kept.contains("dat_") && kept.contains("drt_"))
        #expect(!FilesBelow.content(tool.configuration).contains("dat_"))
        let commands = [
            ["status"], ["status", "--json"], ["accounts"], ["accounts", "--json"], ["refresh"], ["refresh", "--json"],
            ["profiles", "--json"], ["answer", "--json"], ["exec", "true"], ["switch", "ada"],
            ["token", "--min-validity"],
            ["logout", "--json"], ["login", "--detach", "--json"], ["answer"], ["token"],
        ]
        for command in commands {
            let result = try await tool.start(command).wait()
            for secret in secrets {
                #expect(!(result.output + result.errors).contains(secret), "\(command) shows \(secret)")
            }
        }
    }

    @Test("files and directories of the session are the owner's alone", .standard(47))
    func permissions() async throws {
        let tool = try await SignedIn()
        let files = FilesBelow.list(tool.data) + FilesBelow.list(tool.configuration)
        #expect(files.count >= 3)
        for file in files { #expect(tool.folder.mode(file) == 0o600, "\(file)") }
    }
}
