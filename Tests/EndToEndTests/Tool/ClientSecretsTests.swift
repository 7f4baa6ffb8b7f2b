import Latchkey
import Testing

@testable import LatchkeyCommand

@Suite("The client's secret") struct ClientSecretsTests {
    private let folder = TemporaryFolder()

    private func secret(_ content: String, mode: UInt32) throws -> Secret {
        let path = "\(folder.path)/secret"
        try SystemFiles().writeNew(path, Array(content.utf8))
        folder.setMode(path, mode)
        return try ClientSecrets.read(path, SystemFiles())
    }

    @Test("is the first line of a private file", arguments: ["s3cr3t", "s3cr3t\n", "s3cr3t\r\nmore"])
    func reads(_ content: String) throws {
        #expect(try secret(content, mode: 0o400) == Secret("s3cr3t"))
    }

    @Test(
        "is refused from a file that others may read, and from an empty one",
        arguments: [
            ("s3cr3t", UInt32(0o640), AuthError.Code.store(.insecurePermissions)),
            ("s3cr3t", 0o604, .store(.insecurePermissions)), ("s3cr3t", 0o620, .store(.insecurePermissions)),
            ("", 0o600, .configuration(.invalid)), ("\ns3cr3t", 0o600, .configuration(.invalid)),
        ])
    func refuses(_ content: String, _ mode: UInt32, _ code: AuthError.Code) {
        let error = #expect(throws: ToolError.self) { try secret(content, mode: mode) }
        #expect(error?.error?.code == code)
        #expect(error.map { !"\($0)".contains("s3cr3t") } == true)
    }

    @Test("is refused where there is no file, a directory, or a link")
    func refusesKinds() throws {
        try SystemFiles().writeNew("\(folder.path)/real", Array("s3cr3t".utf8))
        folder.link("\(folder.path)/link", to: "\(folder.path)/real")
        for path in ["\(folder.path)/none", folder.path, "\(folder.path)/link"] {
            let error = #expect(throws: ToolError.self) { try ClientSecrets.read(path, SystemFiles()) }
            #expect(error?.error?.code == .configuration(.invalid))
        }
    }
}
