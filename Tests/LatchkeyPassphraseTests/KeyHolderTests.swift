import Latchkey
import LatchkeyCrypto
import LatchkeyEncryptedStore
import LatchkeyTesting
import Testing

@testable import LatchkeyPassphrase

@Suite("Keys in files and in the environment")
struct KeyHolderTests {
    private let key = Secret((0..<32).map { UInt8($0) })
    private let files = SimulatedFiles()
    private var context: PluginContext { .testing(files: files) }

    private func holder(isShared: Bool = false) -> FileKeyHolder {
        FileKeyHolder(in: "/home/alice/keys", isShared: isShared, context: context)
    }

    private func put(_ bytes: [UInt8], mode: UInt32 = 0o600) throws {
        try files.makeDirectory("/home/alice/keys")
        try files.remove("/home/alice/keys/vault")
        try files.writeNew("/home/alice/keys/vault", bytes)
        try files.setMode("/home/alice/keys/vault", mode)
    }

    @Test("reads 32 bytes, base64, base64url and hexadecimal digits, with or without a line's end")
    func forms() throws {
        let hex = key.reveal().map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
        let texts = [Base64.encode(key.reveal()), Base64URL.encode(key.reveal()), hex, hex.uppercased()]
        for bytes in [key.reveal()]
            + texts.flatMap({ [Array($0.utf8), Array("\($0)\n".utf8), Array("\($0)\r\n".utf8)] })
        {
            try put(bytes)
            #expect(try holder().key("vault") == key)
        }
        for text in texts { #expect(try EnvironmentKeyHolder(["KEY": text]).key("KEY") == key) }
    }

    @Test(
        "refuses what is no key",
        arguments: [[], Array("hello".utf8), Array(repeating: 1, count: 31), Array(repeating: 0x7A, count: 64)])
    func noKey(_ bytes: [UInt8]) throws {
        try put(bytes)
        let error = #expect(throws: AuthError.self) { try holder().key("vault") }
        #expect(error?.code == .store(.damaged))
    }

    @Test(
        "refuses a file that others may read or change, by its exact mode",
        arguments: [0o640, 0o604, 0o660, 0o622] as [UInt32])
    func modes(_ mode: UInt32) throws {
        try put(key.reveal(), mode: mode)
        let error = #expect(throws: AuthError.self) { try holder().key("vault") }
        #expect(error?.code == .store(.insecurePermissions))
        #expect(error?.message.contains("chmod 600 /home/alice/keys/vault") == true)
        if mode & 0o022 == 0 { #expect(try holder(isShared: true).key("vault") == key) }
    }

    @Test("absent is nil, and a name that leaves the directory is refused")
    func names() throws {
        #expect(try holder().key("vault") == nil)
        for name in ["", ".", "..", "../other", "a/b", "a\0"] {
            #expect(throws: AuthError.self) { try holder().key(name) }
        }
        #expect(try EnvironmentKeyHolder([:]).key("KEY") == nil)
        #expect(try EnvironmentKeyHolder(["KEY": ""]).key("KEY") == nil)
    }

    @Test("keeps a new key, and never writes over one")
    func keeping() throws {
        try holder().keep(key, under: "vault")
        try holder().keep(key, under: "vault")
        #expect(try holder().key("vault") == key)
        let error = #expect(throws: AuthError.self) {
            try holder().keep(Secret([UInt8](repeating: 9, count: 32)), under: "vault")
        }
        #expect(error?.code == .configuration(.unsupported))
        try holder().remove("vault")
        #expect(try holder().key("vault") == nil)
        #expect(throws: AuthError.self) { try EnvironmentKeyHolder([:]).keep(key, under: "KEY") }
    }

    @Test("a server's vault opens by itself, and a lost key is an error and not an empty store")
    func server() async throws {
        let context = context
        try holder().keep(key, under: "vault")
        let vault = EncryptedFileStore(
            at: "/home/alice/vault", options: VaultOptions(isEphemeral: true), context: context)
        try await vault.initialise(with: [NewSlot(UnlockKey(.key(source: "file"), key), name: "vault")])
        _ = try await vault.replace(StoreKey(.settings, "a"), at: nil, with: [1])
        func next(_ holder: any KeyHolder, _ name: String) -> SelfOpening<EncryptedFileStore> {
            SelfOpening(EncryptedFileStore(at: "/home/alice/vault", context: context), by: holder, name: name)
        }
        #expect(try await next(holder(), "vault").read(StoreKey(.settings, "a"))?.bytes == [1])
        for (holder, name) in [
            (holder(), "lost") as (any KeyHolder, String), (EnvironmentKeyHolder([:]), "KEY"),
            (EnvironmentKeyHolder(["KEY": Base64.encode(key.reveal())]), "KEY"),
        ] {
            let error = await #expect(throws: AuthError.self) {
                try await next(holder, name).read(StoreKey(.settings, "a"))
            }
            #expect(error?.code == .store(.unavailable))
        }
    }
}
