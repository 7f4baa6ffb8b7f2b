import FoundationEssentials
import Latchkey
import Proofs
import Testing

@testable import LatchkeyCommand

@Suite("Somebody changes the encrypted file", .timeLimit(.minutes(3))) struct VaultSwapTests {
    private static let passphrase = "correct horse battery staple\n"
    private let files = SystemFiles()

    /// A tool whose session is in an encrypted file, and its service.
    private func encrypted() async throws -> SignedIn {
        let signedIn = try await SignedIn()
        let moved = try await signedIn.tool.run(
            "store", "migrate", "--to", "encrypted", "--passphrase-from-stdin", input: Self.passphrase)
        try #require(moved.status == 0, "\(moved.errors)")
        return signedIn
    }

    private func vault(_ tool: Tool) throws -> String {
        let name = try #require(FilesBelow.list(tool.data).first { $0.hasSuffix("vault.lkv") })
        return name.hasPrefix("/") ? name : "\(tool.data)/\(name)"
    }

    private func bytes(_ path: String) throws -> [UInt8] { try #require(try files.read(path, limit: 1 << 20)) }

    private func put(_ bytes: [UInt8], at path: String) throws {
        try files.remove(path)
        try files.writeNew(path, bytes)
    }

    @Test(
        "with the agent open an older file is told at each command, also after a write, until the person accepts it",
        .law(8))
    func older() async throws {
        let signedIn = try await encrypted()
        let tool = signedIn.tool
        let path = try vault(tool)
        let old = try bytes(path)
        let unlocked = try await tool.run("unlock", "--for", "5m", "--passphrase-from-stdin", input: Self.passphrase)
        try #require(unlocked.status == 0, "\(unlocked.errors)")
        for _ in 0..<3 { #expect(try await tool.run("refresh").status == 0) }
        try put(old, at: path)
        let warning = "was seen before"
        for words in [["status"], ["token"], ["switch", "ada@example.test"], ["accounts"]] {
            let result = try await tool.start(words).wait()
            #expect(result.errors.contains(warning), "\(words): \(result.errors)")
        }
        let accepted = try await tool.run("store", "repair", "--accept-older")
        #expect(accepted.status == 0, "\(accepted.errors)")
        #expect(try await !tool.run("status").errors.contains(warning))
        _ = try await tool.run("lock")
    }

    @Test("a file that was made elsewhere is not opened, neither by its own key nor by the passphrase", .law(8))
    func swapped()
        async throws
    {
        let (signedIn, elsewhere) = (try await encrypted(), try await encrypted())
        let (tool, other) = (signedIn.tool, elsewhere.tool)
        let path = try vault(tool)
        let added = try await other.run(
            "store", "add-slot", "--key-file", "\(other.folder.path)/key", "--passphrase-from-stdin",
            input: Self.passphrase)
        #expect(added.status == 0, "\(added.errors)")
        #expect(try await other.run("status").status == 0, "its key file opens it where it was made")
        try put(try bytes(try vault(other)), at: path)
        for words in [["status"], ["token"], ["store", "verify", "--passphrase-from-stdin"]] {
            let result = try await tool.start(words, input: Self.passphrase).wait()
            #expect(result.status == 7 && result.output.isEmpty, "\(words): \(result.status) \(result.errors)")
            #expect(result.errors.contains("another vault"), "\(words): \(result.errors)")
            #expect(result.errors.contains("latchkey store repair --accept-older"))
        }
        #expect(try await tool.run("store", "repair", "--accept-older").status == 0)
        #expect(try await tool.run("status").status == 0)
    }
}
