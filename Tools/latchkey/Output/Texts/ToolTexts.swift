import Latchkey

/// The tool's texts in the person's language. Programs always get English.
struct ToolTexts: Hashable, Sendable {
    let language: TextLanguage

    /// The texts that are always English.
    static let english = ToolTexts(language: .english)

    init(language: TextLanguage) { self.language = language }

    init(_ environment: [String: String]) { language = TextLanguage(environment: environment) }

    func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        Self.table.text(key, in: language, values)
    }

    // Each caller would get copies of it, one in the other, since a part is a text again.
    @inline(never)
    func callAsFunction(_ text: ToolText) -> String {
        self(text.key, text.values.merging(text.parts.mapValues { self($0) }) { $1 })
    }

    /// A key in two tables ends the program at its first text, so every test would notice it.
    static let table = TextTable(
        [
            sessions, hints, requestHints, usage, input, errors, refusals, checkups, stores, commands, events, log,
            help,
            manual, exchange,
            supabase, questions, places,
        ]
        .reduce(into: [:]) { whole, part in
            whole.merge(part) { _, _ in preconditionFailure("two tables have a key") }
        })
}

/// A sentence in every language: its key in the table of ``ToolTexts``, and the values of its placeholders.
struct ToolText: Hashable, Sendable {
    let key: String
    let values: [String: String]
    /// The placeholders whose value is another sentence.
    let parts: [String: ToolText]

    init(_ key: String, _ values: [String: String] = [:], parts: [String: ToolText] = [:]) {
        (self.key, self.values, self.parts) = (key, values, parts)
    }

    /// Returns the hint to run `command`.
    static func run(_ command: String) -> ToolText { ToolText("hint.run", ["command": command]) }

    /// The English text, for programs, logs and tests.
    var english: String { ToolTexts.english(self) }
}
