import Latchkey

/// Every text of the model, under stable keys.
enum ModelTexts {
    static let table = TextTable(
        [screens, challenges, notices].reduce(into: [:]) { all, part in
            all.merge(part) { _, last in last }
        })

    private static let keys = Set(table.keys)

    /// Returns what to do about an error: by its whole name, by the first part of the name, or generally.
    static func guidance(_ code: AuthError.Code, in language: TextLanguage) -> String {
        let whole = "guidance.\(code.name)"
        let kind = "guidance.\(code.name.prefix { $0 != "." })"
        let key = [whole, kind].first(where: keys.contains) ?? "guidance.other"
        return table.text(key, in: language)
    }

    /// Returns `text` from a service without control characters, which could garble a terminal.
    static func cleaned(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}
