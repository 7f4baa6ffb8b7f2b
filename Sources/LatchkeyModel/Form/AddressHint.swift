public import Latchkey

/// What looks wrong with an email address while it is typed. A hint and never a refusal: only the
/// service knows its addresses, and RFC 5321 allows more than people expect.
public enum AddressHint: String, CaseIterable, Hashable, Sendable {
    /// There is no `@` yet.
    case noAt
    /// There is more than one `@`.
    case severalAts
    /// Nothing is before the `@`.
    case noName
    /// Nothing is after the `@` yet, or the name of the service has no dot.
    case noDomain
    /// There is a space inside.
    case space
    /// Two dots follow one another after the `@`, or it ends with a dot or a comma.
    case stray

    /// Looks at `address`, without spaces at its ends. `nil` if nothing looks wrong, or nothing is typed.
    public init?(_ address: String) {
        let text = SignInForm.trimmed(address)
        guard !text.isEmpty else { return nil }
        if text.contains(where: \.isWhitespace) {
            self = .space
            return
        }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: self = .noAt
        case 2 where parts[0].isEmpty: self = .noName
        case 2:
            guard let hint = Self.hint(domain: parts[1]) else { return nil }
            self = hint
        default: self = .severalAts
        }
    }

    private static func hint(domain: Substring) -> AddressHint? {
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1 else { return .noDomain }
        if labels.contains(where: \.isEmpty) || domain.contains(",") { return .stray }
        return nil
    }

    /// Returns one sentence for the person, without a full stop.
    public func text(in language: TextLanguage = .system) -> String {
        ModelTexts.table.text("address.\(rawValue)", in: language)
    }
}
