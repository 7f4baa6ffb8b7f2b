import Proofs
import Testing

@testable import Latchkey

@Suite("Texts") struct TextTests {
    private static let codes: [AuthError.Code] =
        AuthError.SignInRequiredReason.allCases.map { .signInRequired($0) }
        + AuthError.OfflineReason.allCases.map { .offline($0) }
        + AuthError.UnlockUnavailableReason.allCases.map { .unlockUnavailable($0) }
        + AuthError.RefusedReason.allCases.map { .refused($0) } + AuthError.StoreReason.allCases.map { .store($0) }
        + AuthError.ConfigurationReason.allCases.map { .configuration($0) }
        + AuthError.UntrustedReason.allCases.map { .untrusted($0) }
        + [.serviceTrouble, .rateLimited, .busy, .locked, .declined, .cancelled]

    @Test(
        "a number is followed by the word for one thing or for several, in the language's own way",
        arguments: [
            ("0", "0 lines", "0 ligne"), ("1", "1 line", "1 ligne"), ("2", "2 lines", "2 lignes"),
            ("many", "many lines", "many lignes"),
        ])
    func plurals(count: String, english: String, french: String) {
        let table = TextTable(["k": [.english: "{count:line|lines} of {n}", .french: "{count:ligne|lignes} de {n}"]])
        #expect(table.text("k", in: .english, ["count": count, "n": "a:b|c"]) == "\(english) of a:b|c")
        #expect(table.text("k", in: .french, ["count": count, "n": "x"]) == "\(french) de x")
        #expect(table.text("k", in: .english).hasPrefix("{count:line|lines}"))
        #expect(table.gaps == [])
        #expect(TextTable(["k": [.english: "{a:x|y}", .french: "{b:x|y}"]]).gaps.count == 1)
    }

    @Test("no language lacks the sentence of an error, and none has one too many", .need("B8"), .complaint(.clerk, 27))
    func errors() {
        #expect(AuthError.texts.gaps == [])
        #expect(AuthError.texts.keys == Self.codes.map(\.name).sorted())
        for code in Self.codes {
            let sentences = Set(TextLanguage.allCases.map { AuthError(code, "").text(in: $0) })
            #expect(sentences.count == TextLanguage.allCases.count, "\(code.name)")
        }
    }

    @Test("gaps are a language that lacks a key, and places that differ")
    func gaps() {
        let table = TextTable([
            "one": [.english: "One"], "two": [.english: "{a} {b}", .french: "{a}"],
            "three": [.english: "{a}, {b}", .french: "{b}, {a}"],
        ])
        #expect(table.gaps == ["one: no french", "two: other places in french"])
    }

    @Test("a value stands in its place as it is, braces in it too, and English stands in for what is missing")
    func places() {
        let table = TextTable(["code": [.english: "Code for {who} at {where}"]])
        #expect(
            table.text("code", in: .french, ["who": "{where}", "where": "home"]) == "Code for {where} at home")
        #expect(table.text("code", in: .english, ["who": "Ada"]) == "Code for Ada at {where}")
        #expect(table.text("unknown", in: .english) == "unknown")
    }

    @Test(
        "the language is what the environment names, and English for others",
        arguments: [
            (["LC_ALL": "fr_FR.UTF-8", "LANG": "en_GB"], TextLanguage.french), (["LANG": "fr@euro"], .french),
            (["LC_ALL": "", "LC_MESSAGES": "FR"], .french), (["LANG": "de_DE"], .english), ([:], .english),
            (["LC_ALL": "C.UTF-8", "LANG": "fr_FR"], .english),
        ])
    func language(_ environment: [String: String], _ language: TextLanguage) {
        #expect(TextLanguage(environment: environment) == language)
    }
}
