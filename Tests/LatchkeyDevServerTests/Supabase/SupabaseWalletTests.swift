import LatchkeyCrypto
import LatchkeyJSON
import RecordedGoTrue
import Testing

@testable import LatchkeyDevServer

@Suite("Wallets in the Supabase dialect")
struct SupabaseWalletTests {
    /// A wallet of Solana, and what it signs.
    private struct Wallet {
        let harness: SupabaseHarness
        let key: PrivateKey

        init() throws {
            harness = try SupabaseHarness()
            key = try PrivateKey.generate(.ed25519)
        }

        var address: String {
            get throws { SupabaseWalletTests.base58(try #require(key.publicKey.ed25519Bytes)) }
        }

        /// A message of now; `changes` replaces whole lines by their names, and `nil` leaves one out.
        func message(_ changes: [String: String?] = [:], domain: String = "app.example.test") throws -> String {
            let usual = [
                ("URI", "https://app.example.test/"), ("Version", "1"), ("Chain ID", "solana:mainnet"),
                ("Nonce", "2c3c65c950060ae4"), ("Issued At", RFC3339.string(harness.now)),
            ]
            let names = usual.map(\.0) + changes.keys.filter { name in !usual.contains { $0.0 == name } }.sorted()
            let lines = names.compactMap { name -> String? in
                let value = changes[name] ?? usual.first { $0.0 == name }?.1
                return value.map { "\(name): \($0)" }
            }
            let head = "\(domain) wants you to sign in with your Solana account:\n\(try address)\n\nHello\n\n"
            return head + lines.joined(separator: "\n")
        }

        func send(_ message: String, signature: String? = nil) async throws -> Answer {
            let signed = Base64.encode(try key.sign(Array(message.utf8), algorithm: .edDSA))
            return try await harness.post(
                "/token?grant_type=web3",
                ["chain": "solana", "message": .string(message), "signature": .string(signature ?? signed)])
        }
    }

    @Test("A wallet of Solana signs in; a message that was changed does not")
    func wallet() async throws {
        let wallet = try Wallet()
        let message = try wallet.message()
        let session = try await wallet.send(message)
        #expect(session.status == 200, "\(session.text)")
        let methods = RecordedExchange.claims(session.accessToken)?["amr"]?.array?.compactMap { $0["method"]?.string }
        #expect(methods == ["web3"])
        let claims = session.json["user"]?["user_metadata"]?["custom_claims"]
        #expect(claims?["statement"] == "Hello" && claims?["domain"] == "app.example.test")
        #expect(try await wallet.send(message).json["user"]?["id"] == session.json["user"]?["id"])
        let signature = Base64.encode(try wallet.key.sign(Array(message.utf8), algorithm: .edDSA))
        let changed = try await wallet.send(message.replacing("Hello", with: "Hullo"), signature: signature)
        #expect(changed.status == 400 && changed.error == "invalid_grant" && changed.code == nil)
    }

    /// A message that is signed well, and refused.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var changes: [String: String?]
        var domain = "app.example.test"
        /// Seconds from when the message was signed.
        var age = 0.0

        init(_ name: String, _ changes: [String: String?] = [:], domain: String = "app.example.test", age: Double = 0) {
            (testDescription, self.changes, self.domain, self.age) = (name, changes, domain, age)
        }
    }

    @Test(
        "A wallet's message with a foreign URI, or an age of an hour, is invalid_grant",
        arguments: [
            Row("a foreign URI", ["URI": "https://evil.test/"]),
            Row("a foreign site altogether", ["URI": "https://evil.test/"], domain: "evil.test"),
            Row("a foreign domain", domain: "evil.test"),
            Row("another port", domain: "app.example.test:8443"),
            Row("a URI without TLS", ["URI": "http://app.example.test/"]),
            Row("this machine by its number", ["URI": "http://127.0.0.1:3000/"]),
            Row("an hour old", age: 3600), Row("a second too old", age: 601), Row("an hour ahead", age: -3600),
            Row("over", ["Expiration Time": "2026-11-18T11:06:41Z"], age: 2),
            Row("not begun", ["Not Before": "2026-11-18T11:06:41+00:00"]),
        ])
    func refused(row: Row) async throws {
        let wallet = try Wallet()
        let message = try wallet.message(row.changes, domain: row.domain)
        wallet.harness.advance(row.age)
        let answer = try await wallet.send(message)
        #expect(answer.status == 400 && answer.error == "invalid_grant" && answer.code == nil, "\(answer.text)")
        #expect(wallet.harness.server.supabaseSessions().isEmpty)
    }

    @Test("Ten minutes of age are taken, either way, and an address that was added")
    func taken() async throws {
        for age in [600.0, -600] {
            let wallet = try Wallet()
            let message = try wallet.message()
            wallet.harness.advance(age)
            #expect(try await wallet.send(message).status == 200)
        }
        let wallet = try Wallet()
        wallet.harness.change { $0.redirects.append("http://localhost:3000**") }
        let local = try wallet.message(["URI": "http://localhost:3000/"], domain: "localhost:3000")
        #expect(try await wallet.send(local).status == 200)
    }

    @Test(
        "A wallet's message that lacks what must be there is validation_failed",
        arguments: [
            ["URI": nil], ["Version": nil], ["Version": "2"], ["Issued At": nil], ["Issued At": "yesterday"],
            ["URI": "nowhere"], ["Not Before": "2026-13-01T00:00:00Z"], ["Expiration Time": "2020-01-01T00:00:00Z"],
        ] as [[String: String?]])
    func incomplete(changes: [String: String?]) async throws {
        let wallet = try Wallet()
        let answer = try await wallet.send(try wallet.message(changes))
        #expect(answer.status == 400 && answer.code == "validation_failed", "\(answer.text)")
    }

    @Test("A Solana signature of the wrong length is validation_failed, whatever else is wrong")
    func length() async throws {
        let wallet = try Wallet()
        let nonsense = String(repeating: "no message ", count: 10)
        for signature in ["", "AAAA", String(repeating: "A", count: 85), String(repeating: "A", count: 87)] {
            for message in [try wallet.message(), nonsense] {
                let answer = try await wallet.send(message, signature: signature)
                #expect(answer.status == 400 && answer.code == "validation_failed")
                #expect(answer.field("X-Sb-Error-Code") == "validation_failed")
            }
        }
        let letters = try await wallet.send(try wallet.message(), signature: String(repeating: "?", count: 88))
        #expect(letters.code == "validation_failed")
        // Of the right length, and nobody's.
        let foreign = try await wallet.send(try wallet.message(), signature: String(repeating: "A", count: 86))
        #expect(foreign.error == "invalid_grant")
    }

    @Test("Times with a zone are read, and what is none is not")
    func times() {
        #expect(RFC3339.seconds("1970-01-01T00:00:00Z") == 0)
        #expect(RFC3339.seconds("2026-11-18T11:06:40.25Z") == 1_795_000_000.25)
        #expect(RFC3339.seconds("2026-11-18T12:36:40+01:30") == 1_795_000_000)
        #expect(RFC3339.seconds("2024-02-29T23:59:59-00:00") == 1_709_251_199)
        for text in ["", "2026-11-18", "2026-11-18T11:06:40", "2026-00-18T11:06:40Z", "2026-11-18T24:00:00Z"] {
            #expect(RFC3339.seconds(text) == nil)
        }
    }

    private static func base58(_ bytes: [UInt8]) -> String {
        let letters = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
        var digits: [Int] = []
        for byte in bytes {
            var carry = Int(byte)
            for index in digits.indices {
                carry += digits[index] << 8
                digits[index] = carry % 58
                carry /= 58
            }
            while carry > 0 {
                digits.append(carry % 58)
                carry /= 58
            }
        }
        return String(bytes.prefix { $0 == 0 }.map { _ in letters[0] } + digits.reversed().map { letters[$0] })
    }
}
