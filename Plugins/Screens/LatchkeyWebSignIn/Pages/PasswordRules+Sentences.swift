import Latchkey
import LatchkeyModel

/// What is said of a new password.
extension PasswordRules {
    /// What it must have, a sentence for each rule.
    func sentences(in language: TextLanguage) -> [String] {
        Rule.allCases.filter { rule in
            switch rule {
            case .shortest: shortest > 1
            case .longest: longest != nil
            default: required.contains(rule)
            }
        }.map { text($0, in: language) }
    }

    /// What a service found weak, if `word` is one by which services say so. Other rules are sentences of their own.
    func sentence(forWeakness word: String, in language: TextLanguage) -> String? {
        switch word {
        case "length": text(.shortest, in: language)
        case "characters", "pwned": WebTexts.table.text("weak.\(word)", in: language)
        default: nil
        }
    }
}
