import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeyEncryptedStore

/// The bytes, against vectors of an independent writer.
@Suite("Vault: format")
struct VaultFormatTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    static let names = ["aes256gcm", "chachapoly"]

    static func vector(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: folder.appending(path: "Vectors/lkv1-\(name).bin")))
    }

    static func facts() throws -> JSON {
        try JSON.parse([UInt8](Data(contentsOf: folder.appending(path: "Vectors/lkv1-vectors.json"))))
    }

    static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.utf8.count, by: 2).compactMap { offset in
            let start = hex.index(hex.startIndex, offsetBy: offset)
            return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)
        }
    }

    private func keeper() -> LocalKeeper { VaultBench.keeper(.testing()) }

    @Test("a vault of the independent writer opens by its passphrase and by its holder's key", arguments: names)
    func knownAnswers(_ name: String) async throws {
        let file = try Self.vector(name)
        let holders = Hash.digest(Array("external key source".utf8))
        for key in [VaultBench.passphrase, UnlockKey(.key(source: "secret-service"), Secret(holders))] {
            let keeper = keeper()
            try await keeper.open(file, with: key)
            let body = try VaultBody(keeper.unseal(file))
            #expect(body.records.keys.sorted() == ["pkce/tmp", "session/alice@example.test"])
            let record = try #require(body.records["session/alice@example.test"])
            #expect(record.number == 7 && record.changedAt == 1_700_000_000_000)
            #expect(record.value.revealText() == #"{"access":"a","refresh":"r"}"#)
        }
        let header = try VaultFileWire.open(file).0
        #expect(header.generation == 42 && header.epoch == 1)
        #expect(
            header.slots.map(\.kind) == [
                .passphrase(ScryptCost(logN: 12)), .key(source: "secret-service", name: "latchkey/kek"),
            ])
    }

    @Test("a sealed record of the independent writer opens, and under no other name or namespace", arguments: names)
    func knownRecord(_ name: String) throws {
        let facts = try Self.facts()
        let sealed = Self.bytes(try #require(facts[name]?["record"]?.string))
        let secret = Secret(Self.bytes(try #require(facts["dek"]?.string)))
        let envelope = try RecordEnvelope(sealed)
        #expect(envelope.number == 9 && envelope.keyID == 0)
        let plain = try envelope.open(with: secret, namespace: "tenant-1", name: "session/alice")
        #expect(plain == Array("hello".utf8))
        let again = try RecordEnvelope.seal(
            plain, with: secret, id: 0, number: 9, salt: [UInt8](repeating: 0xD0, count: 32), namespace: "tenant-1",
            name: "session/alice", suite: envelope.suite)
        #expect(again == sealed)
        #expect(throws: AuthError.self) {
            try envelope.open(with: secret, namespace: "tenant-2", name: "session/alice")
        }
        #expect(throws: AuthError.self) { try envelope.open(with: secret, namespace: "tenant-1", name: "session/bob") }
        // Neither half may lend the other a byte.
        #expect(throws: AuthError.self) {
            try envelope.open(with: secret, namespace: "tenant-1s", name: "ession/alice")
        }
        for byte in sealed.indices {
            var other = sealed
            other[byte] ^= 1
            #expect(throws: AuthError.self, "byte \(byte)") {
                try RecordEnvelope(other).open(with: secret, namespace: "tenant-1", name: "session/alice")
            }
        }
    }

    /// With the trailer mended, as somebody does who changes a vault on purpose.
    static func mended(_ bytes: [UInt8]) -> [UInt8] {
        let content = Array(bytes.dropLast(32))
        return content + Checksum.sha256(content)
    }

    /// Where the parts of the known vaults are.
    private enum Part: String {
        case magic, version, lengths, slot, wrapped, counters, authenticated, body

        static func of(_ byte: Int, _ header: VaultHeader) -> Part {
            switch byte {
            case ..<8: return .magic
            case 8..<13, 14..<16, 52..<56: return .version
            case 13, 44..<52: return .lengths
            case 64..<header.authenticated.count:
                var start = 64
                for slot in header.slots {
                    let end = start + slot.bytes.count
                    if byte < end { return byte >= end - 48 ? .wrapped : .slot }
                    start = end
                }
                return .slot
            case 32..<44: return .counters
            case ..<(header.authenticated.count + 32): return .authenticated
            default: return .body
            }
        }

        /// What a flip may be called when the passphrase of the first slot opens the vault.
        var codes: Set<AuthError.Code> {
            switch self {
            case .magic: [.store(.damaged)]
            case .version: [.store(.newerVersion)]
            // A vault is never written for the 0th time.
            case .counters: [.store(.tampered), .store(.damaged)]
            case .lengths: [.store(.damaged), .store(.newerVersion)]
            // No slot commits to the key any more, or one asks for too much, or the lengths do not fit; where it is the
            // other slot, the head's code shows it.
            case .slot: [.refused(.wrongInput), .store(.newerVersion), .store(.damaged), .store(.tampered)]
            case .wrapped, .authenticated, .body: [.store(.tampered)]
            }
        }
    }

    @Test("every flipped bit under a mended trailer is refused, by the right name", arguments: names)
    func everyBit(_ name: String) async throws {
        let file = try Self.vector(name)
        let (header, _) = try VaultFileWire.open(file)
        let holders = UnlockKey(
            .key(source: "secret-service"), Secret(Hash.digest(Array("external key source".utf8))))
        // The holder's key, which costs nothing to try. The id and the epoch are bound to the wrapped key.
        for byte in 0..<file.count - 32 {
            for bit in 0..<8 {
                var other = file
                other[byte] ^= 1 << bit
                let keeper = keeper()
                let found = await code {
                    try await keeper.open(Self.mended(other), with: holders)
                    return try keeper.unseal(Self.mended(other))
                }
                let part = Part.of(byte, header)
                #expect(found.map(part.codes.contains) == true, "byte \(byte) (\(part)) bit \(bit): \(found as Any)")
            }
        }
    }

    @Test("with the key at hand a flipped bit is refused as well", arguments: names)
    func keyAtHand(_ name: String) async throws {
        let file = try Self.vector(name)
        let keeper = keeper()
        try await keeper.open(file, with: VaultBench.passphrase)
        for byte in 0..<file.count - 32 {
            var other = file
            other[byte] ^= 0x10
            let found = await code { try keeper.unseal(Self.mended(other)) }
            // Another id or epoch is another vault's, or that of a key that came later.
            let isOther = (16..<32).contains(byte) || (40..<44).contains(byte)
            #expect(found != nil && (found != .locked || isOther), "byte \(byte): \(found as Any)")
        }
    }

    @Test("a flipped bit without a mended trailer is damage", arguments: names)
    func damage(_ name: String) async throws {
        let file = try Self.vector(name)
        for byte in 16..<file.count where ![44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55].contains(byte) {
            var other = file
            other[byte] ^= 4
            #expect(await code { try await keeper().open(other, with: VaultBench.passphrase) } == .store(.damaged))
        }
    }

    @Test("a vault that was cut off at any length is damage", arguments: names)
    func truncation(_ name: String) async throws {
        let file = try Self.vector(name)
        for length in 0..<file.count {
            let short = Array(file.prefix(length))
            #expect(await code { try await keeper().open(short, with: VaultBench.passphrase) } == .store(.damaged))
        }
        #expect(await code { try await keeper().open(file + [0], with: VaultBench.passphrase) } == .store(.damaged))
    }

    @Test("a wrong passphrase is that, and costs what the right one costs")
    func wrongPassphrase() async throws {
        let file = try Self.vector("aes256gcm")
        for wrong in ["correct horse battery stapl", "correct horse battery staple ", "CORRECT", ""] {
            let key = UnlockKey(.passphrase, Secret(wrong))
            #expect(await code { try await keeper().open(file, with: key) } == .refused(.wrongInput))
        }
        let other = UnlockKey(.key(source: "kernel-keyring"), Secret([UInt8](repeating: 1, count: 32)))
        #expect(await code { try await keeper().open(file, with: other) } == .refused(.wrongInput))
    }

    @Test(
        "a slot that asks for gigabytes is refused before anything is allocated",
        arguments: [21, 24, 30, 63, 255] as [UInt8])
    func greedy(_ logN: UInt8) async throws {
        var file = try Self.vector("aes256gcm")
        file[64 + 8] = logN
        #expect(
            await code { try await keeper().open(Self.mended(file), with: VaultBench.passphrase) }
                == .store(.newerVersion))
    }

    @Test("a passphrase is the same in every composition of its letters")
    func composition() {
        let composed = Array("é".unicodeScalars.count == 1 ? "é".utf8 : "\u{E9}".utf8)
        #expect(KeyStretching.composed(Secret("e\u{301}")) == composed)
        #expect(KeyStretching.composed(Secret("\u{E9}")) == composed)
        #expect(KeyStretching.composed(Secret("plain")) == Array("plain".utf8))
        #expect(KeyStretching.composed(Secret([0xFF, 0xFE])) == [0xFF, 0xFE])
    }

    @Test("records of any content go in and come out, and hide their sizes to 1,024 bytes")
    func body() throws {
        var body = VaultBody()
        for count in [0, 1, 1_000, 70_000] {
            body.records["credential/\(count)/é"] = VaultBody.Record(
                number: UInt64(count), changedAt: .max, value: Secret([UInt8](repeating: 7, count: count)))
        }
        let plain = body.plain()
        #expect(plain.count % 1_024 == 0)
        let again = try VaultBody(Secret(plain))
        #expect(again.records.mapValues(\.value) == body.records.mapValues(\.value))
        for length in stride(from: 0, to: plain.count, by: 97) {
            #expect(throws: AuthError.self) { try VaultBody(Secret(Array(plain.prefix(length)))) }
        }
        #expect(throws: AuthError.self) { try VaultBody(Secret([0xFF, 0xFF, 0xFF, 0xFF] + plain.dropFirst(4))) }
    }
}
