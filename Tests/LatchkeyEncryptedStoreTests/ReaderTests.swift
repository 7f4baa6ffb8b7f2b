import Latchkey
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyEncryptedStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What this module writes, read by a program of another language and another cryptographic library.
@Suite("Vault: an independent reader")
struct ReaderTests {
    private static let python = "/usr/bin/python3"

    /// What the reader prints, a line each.
    private func read(_ words: String...) async throws -> [String] {
        let output = try await ProgramOutput.of(Self.python, [Self.folder + "/Reader/reader.py"] + words)
        return output.split(separator: "\n").map(String.init)
    }

    private static let folder = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined()

    /// Skips the test, with the reason, where the reader cannot run.
    private func needReader() async throws {
        let found = try? await ProgramOutput.of(Self.python, ["-c", "import cryptography; print('here')"])
        guard found != "here\n" else { return }
        let reason = "there is no \(Self.python) with cryptography: Scripts/setup --servers installs it"
        if getenv("LATCHKEY_REQUIRE_SERVERS").map({ String(cString: $0) }) == "1" { Issue.record("\(reason)") }
        try Test.cancel("\(reason)")
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }

    @Test("opens our vaults by every kind of slot, after every kind of change", arguments: VaultSuite.allCases)
    func vaults(_ suite: VaultSuite) async throws {
        try await needReader()
        try await TemporaryFolder.with { folder in
            // A character that keyboards compose in two ways.
            let passphrase = UnlockKey(.passphrase, Secret("cafe\u{301} correct horse"))
            let code = UnlockKey(.recoveryCode, Secret([UInt8](repeating: 0x5A, count: 20)))
            let held = UnlockKey(.key(source: "test"), Secret([UInt8](repeating: 0x11, count: 32)))
            let context = PluginContext.system
            let store = EncryptedFileStore(
                at: folder["vault"], keptBy: VaultBench.keeper(context),
                options: VaultOptions(suite: suite, cost: VaultBench.cheap), context: context)
            try await store.initialise(with: [NewSlot(passphrase, cost: VaultBench.cheap), NewSlot(code)])
            try await store.addSlot(NewSlot(held, name: "there"))
            var expected: [String: String] = [:]
            for (name, value) in [
                ("alice", [1, 2, 3]), ("élodie@example.com", []), ("large", [UInt8](repeating: 7, count: 5_000)),
            ] as [(String, [UInt8])] {
                try await store.replace(StoreKey(.credential, name), at: nil, with: value)
                expected[Self.hex(Array("credential/\(name)".utf8))] = Self.hex(value)
            }
            let version = try await store.read(StoreKey(.credential, "alice"))?.version
            try await store.replace(StoreKey(.credential, "alice"), at: version, with: nil)
            expected[Self.hex(Array("credential/alice".utf8))] = nil

            func check(_ kind: String, _ secret: String) async throws {
                let lines = try await read("vault", folder["vault/vault.lkv"], kind, secret)
                let found = lines.map { $0.split(separator: " ", omittingEmptySubsequences: false).map(String.init) }
                #expect(
                    Dictionary(uniqueKeysWithValues: found.map { ($0[0], $0.last ?? "") }) == expected,
                    "\(kind): \(lines)")
            }
            let typed = "caf\u{E9} correct horse"
            try await check("passphrase", typed)
            try await check("recovery", Self.hex(code.secret.reveal()))
            try await check("key", Self.hex(held.secret.reveal()))
            try await store.rekey(with: [0: passphrase, 2: held], dropping: [1])
            try await check("passphrase", typed)
            try await check("key", Self.hex(held.secret.reveal()))
            #expect(
                try await read("vault", folder["vault/vault.lkv"], "recovery", Self.hex(code.secret.reveal()))
                    == ["wrong: the secret opens nothing"])
        }
    }

    @Test("opens our sealed records, and refuses them under another name", .need("L6"), arguments: VaultSuite.allCases)
    func records(_ suite: VaultSuite) async throws {
        try await needReader()
        try await TemporaryFolder.with { folder in
            let key = Secret([UInt8](repeating: 0x33, count: 32))
            let sealed = try RecordEnvelope.seal(
                Array("hello".utf8), with: key, id: 7, number: 9, salt: PluginContext.system.random(32),
                namespace: "tenant-1", name: "credential/alice", suite: suite)
            try SystemFiles().writeNew(folder["record"], sealed)
            let secret = Self.hex(key.reveal())
            #expect(
                try await read("record", folder["record"], secret, "tenant-1", "credential/alice")
                    == ["9 \(Self.hex(Array("hello".utf8)))"])
            #expect(
                try await read("record", folder["record"], secret, "tenant-1", "credential/bob")
                    == ["wrong: it was changed"])
        }
    }

    @Test("reads the vectors, so that both of us read the same format", arguments: ["aes256gcm", "chachapoly"])
    func vectors(_ suite: String) async throws {
        try await needReader()
        let lines = try await read(
            "vault", "\(Self.folder)/Vectors/lkv1-\(suite).bin", "passphrase", "correct horse battery staple")
        #expect(lines.count == 2)
        #expect(
            lines.first?.hasPrefix(Self.hex(Array("session/alice@example.test".utf8)) + " 7 1700000000000 0 ") == true)
    }
}
