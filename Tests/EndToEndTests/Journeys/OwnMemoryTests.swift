import Latchkey
import LatchkeyDevServer
import Proofs
import Testing

@testable import LatchkeyEncryptedStore

@Suite("Memory after locking") struct OwnMemoryTests {
    private static func masked(_ bytes: [UInt8]) -> String {
        bytes.map { $0 ^ 0xA5 }.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }

    @Test("neither the passphrase nor the vault's key nor the token is in a process that has locked", .need("R7"))
    func locked() async throws {
        let (folder, server) = (TemporaryFolder(), try Service.start())
        let program = Program(try Tool.built("memory-member"))
        let passphrase = Secret(PluginContext.system.randomName(bytes: 16))
        let input = Self.masked(passphrase.reveal()) + "\n"
        let made = try await program.run([server.issuer, folder.path, "sign-in"], input: input)
        if made.output.hasPrefix("skipped") { try Test.cancel("\(made.output)") }
        try #require(made.status == 0, "\(made.errors)")
        let vault = try #require(try SystemFiles().read("\(folder.path)/vault/vault.lkv", limit: 1 << 20))
        let header = try VaultFileWire.open(vault).0
        let found = try await LocalKeeper().find(UnlockKey(.passphrase, passphrase), in: header)
        let key = try #require(found?.1)
        let result = try await program.run([server.issuer, folder.path, Self.masked(key.reveal())], input: input)
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        // What is not found while it is used would not be found afterwards either.
        #expect(
            lines.first?.contains("key=0") == false && lines.first?.contains("token=0") == false, "\(result.output)")
        #expect(lines.last == "after passphrase=0 key=0 token=0", "\(result.output)")
    }
}
