import Latchkey

/// Finds the account that a person means.
enum AccountChoice {
    /// Finds the one of `accounts` whose ID, subject or displayed name, in any language, is `text`; IDs come first.
    ///
    /// - Throws: `signInRequired(signedOut)` if there is none, ``UsageError`` if several have the name.
    ///
    /// - Parameter listing: The command that lists the accounts, for the hint.
    static func find(
        _ text: String, among accounts: [Account], listing: String = "latchkey accounts"
    ) throws -> Account {
        if let exact = accounts.first(where: { $0.id.value == text }) { return exact }
        let named = accounts.filter { isName(text, of: $0) || $0.id.value.hasSuffix(" \(text)") }
        if named.count > 1 {
            throw UsageError("usage.severalAccounts", hint: ToolText("hint.accountID", ["command": listing]))
        }
        guard let found = named.first else {
            throw ToolError(.signInRequired(.signedOut), "error.nobodyNamed")
        }
        return found
    }

    private static func isName(_ text: String, of account: Account) -> Bool {
        guard let label = account.label else { return false }
        return label == text || AccountReport.name(label, account.id, ToolTexts(language: .french)) == text
    }
}
