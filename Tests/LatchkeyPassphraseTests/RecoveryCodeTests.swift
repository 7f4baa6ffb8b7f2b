import Latchkey
import LatchkeyTesting
import Testing

@testable import LatchkeyPassphrase

@Suite("Recovery code")
struct RecoveryCodeTests {
    private let code = RecoveryCode(context: .testing(seed: 3))

    @Test("is nine groups of four, without a letter that looks like a digit, and reads back")
    func printed() throws {
        for seed in 1...200 as ClosedRange<UInt64> {
            let code = RecoveryCode(context: .testing(seed: seed))
            let text = code.text.revealText()
            #expect(text.split(separator: "-").map(\.count) == Array(repeating: 4, count: 9))
            #expect(!text.contains { "ILOU".contains($0) || $0.isLowercase })
            #expect(try RecoveryCode(typed: code.text).secret == code.secret)
            #expect(code.secret.count == 20)
        }
    }

    @Test("reads what people type: lower case, spaces, no hyphens, O for 0, I and L for 1")
    func typed() throws {
        let text = code.text.revealText()
        let lazy = text.lowercased().replacing("-", with: "  ")
        let similar = text.replacing("0", with: "o").replacing("1", with: "l").replacing("-", with: "")
        for form in [lazy, similar, similar.replacing("l", with: "I"), " \(text) "] {
            #expect(try RecoveryCode(typed: Secret(form)).secret == code.secret)
        }
    }

    @Test("every mistyped character is found")
    func slips() throws {
        let text = Array(code.text.revealText())
        var passed = 0
        for index in text.indices where text[index] != "-" {
            for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" where other != text[index] {
                var slip = text
                slip[index] = other
                if (try? RecoveryCode(typed: Secret(String(slip)))) != nil { passed += 1 }
            }
        }
        #expect(passed == 0)
    }

    @Test("what is no code is refused, and is never shown", arguments: ["", "ABCD", "not a code!", "ÄÖÜ"])
    func refused(_ text: String) {
        let error = #expect(throws: AuthError.self) { try RecoveryCode(typed: Secret(text)) }
        #expect(error?.code == .refused(.wrongInput))
        if text.count > 4 { #expect(error?.message.contains(text) == false) }
        #expect(throws: AuthError.self) { try RecoveryCode(typed: Secret([UInt8](repeating: 0x41, count: 100_000))) }
    }

    @Test("is in no text")
    func redacted() {
        #expect(!"\(code) \(String(reflecting: code))".contains(code.text.revealText()))
    }
}
