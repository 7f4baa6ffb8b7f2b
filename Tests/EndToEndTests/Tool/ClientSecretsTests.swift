import Latchkey
import Testing

@testable import LatchkeyCommand

@Suite("The client's secret") struct ClientSecretsTests {
    private let folder = TemporaryFolder()

    private func secret(
        _ content: String, mode: UInt32, warn: (ToolText) -> Void = { _ in }
    ) throws -> Secret {
        let path = "\(folder.path)/secret"
        try SystemFiles().writeNew(path, Array(content.utf8))
        folder.setMode(path, mode)
        return try ClientSecrets.read(path, SystemFiles(), warn: warn)
    }

    @Test("is the first line of a private file", arguments: ["s3cr3t", "s3cr3t\n", "s3cr3t\r\nmore"])
    func reads(_ content: String) throws {
        #expect(try secret(content, mode: 0o400) == Secret("s3cr3t"))
    }

    @Test(
        "is refused from one's own file that everybody may read or others may change, and from an empty one",
        arguments: [
            ("s3cr3t", UInt32(0o644), AuthError.Code.store(.insecurePermissions)),
            ("s3cr3t", 0o604, .store(.insecurePermissions)), ("s3cr3t", 0o620, .store(.insecurePermissions)),
            ("", 0o600, .configuration(.invalid)), ("\ns3cr3t", 0o600, .configuration(.invalid)),
        ])
    func refuses(_ content: String, _ mode: UInt32, _ code: AuthError.Code) {
        let error = #expect(throws: ToolError.self) { try secret(content, mode: mode) }
        #expect(error?.error?.code == code)
        #expect(error.map { !"\($0)".contains("s3cr3t") } == true)
    }

    @Test("is read from a file that a group may read, and from one that is not to be changed; both are told")
    func told() throws {
        for mode in [0o640, 0o440, 0o444] as [UInt32] {
            var told: [ToolText] = []
            #expect(try secret("s3cr3t", mode: mode) { told.append($0) } == Secret("s3cr3t"))
            #expect(told.map(\.english).count { $0.contains("other users") } == 1, "\(String(mode, radix: 8))")
            try SystemFiles().remove("\(folder.path)/secret")
        }
        #expect(try secret("s3cr3t", mode: 0o600) { _ in Issue.record("a private file is told") } == Secret("s3cr3t"))
    }

    @Test("is refused where there is no file, a directory, or a link to one or to nothing")
    func refusesKinds() throws {
        folder.link("\(folder.path)/link", to: "\(folder.path)/none")
        folder.link("\(folder.path)/door", to: folder.path)
        for path in ["\(folder.path)/none", folder.path, "\(folder.path)/link", "\(folder.path)/door"] {
            let error = #expect(throws: ToolError.self) { try ClientSecrets.read(path, SystemFiles()) }
            #expect(error?.error?.code == .configuration(.invalid), "\(path)")
        }
    }
}
