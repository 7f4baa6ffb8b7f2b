public import Latchkey

/// What a service demands of a new password. The service has the last word; these checks only save
/// the person a refusal.
public struct PasswordRules: Hashable, Sendable {
    /// A rule that a password can break.
    public enum Rule: String, CaseIterable, Hashable, Sendable {
        /// It is too short.
        case shortest
        /// It has more bytes than the service takes.
        case longest
        /// A lower-case letter is missing.
        case lowercase
        /// An upper-case letter is missing.
        case uppercase
        /// A digit is missing.
        case digit
        /// A character that is neither a letter nor a digit is missing.
        case symbol
    }

    /// The fewest characters, as a person counts them. Default: 8.
    public var shortest: Int
    /// The most bytes in UTF-8; bcrypt, for example, reads 72. `nil` means no limit.
    public var longest: Int?
    /// The kinds of characters that must occur. Length rules in this set have no effect.
    public var required: Set<Rule>

    /// Creates rules.
    public init(shortest: Int = 8, longest: Int? = nil, required: Set<Rule> = []) {
        self.shortest = shortest
        self.longest = longest
        self.required = required
    }

    /// Returns the rules that `password` breaks, in the order of ``Rule``. It counts as typed:
    /// spaces at its ends belong to it.
    public func broken(by password: Secret) -> [Rule] {
        let text = password.revealText()
        return Rule.allCases.filter { rule in
            switch rule {
            case .shortest: text.count < shortest
            case .longest: longest.map { text.utf8.count > $0 } ?? false
            case .lowercase: required.contains(rule) && !text.contains(where: \.isLowercase)
            case .uppercase: required.contains(rule) && !text.contains(where: \.isUppercase)
            case .digit: required.contains(rule) && !text.contains(where: \.isNumber)
            case .symbol: required.contains(rule) && !text.contains { !$0.isLetter && !$0.isNumber }
            }
        }
    }

    /// Returns one sentence that says what `rule` demands, without a full stop.
    public func text(_ rule: Rule, in language: TextLanguage = .system) -> String {
        let count = rule == .longest ? longest ?? 0 : shortest
        return ModelTexts.table.text("password.\(rule.rawValue)", in: language, ["count": "\(count)"])
    }
}
