import Latchkey

/// What the tool says to people, in their language. What programs read is English.
struct ToolTexts: Hashable, Sendable {
    let language: TextLanguage

    /// For what is English everywhere.
    static let english = ToolTexts(language: .english)

    init(language: TextLanguage) { self.language = language }

    init(_ environment: [String: String]) { language = TextLanguage(environment: environment) }

    func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        Self.table.text(key, in: language, values)
    }

    func callAsFunction(_ text: ToolText) -> String {
        self(text.key, text.values.merging(text.parts.mapValues { self($0) }) { $1 })
    }

    /// A key that two tables have would end the program at its first sentence, which no test could miss.
    static let table = TextTable(
        [sessions, hints, usage, errors, refusals, checkups, stores, commands, events, help].reduce(into: [:]) {
            whole, part in
            whole.merge(part) { _, _ in preconditionFailure("two tables have a key") }
        })
}

/// A sentence in every language: its key in the table of ``ToolTexts``, and what fills its places.
struct ToolText: Hashable, Sendable {
    let key: String
    let values: [String: String]
    /// Places that are filled by another sentence.
    let parts: [String: ToolText]

    init(_ key: String, _ values: [String: String] = [:], parts: [String: ToolText] = [:]) {
        (self.key, self.values, self.parts) = (key, values, parts)
    }

    /// Runs `command`.
    static func run(_ command: String) -> ToolText { ToolText("hint.run", ["command": command]) }

    /// For programs, logs and tests.
    var english: String { ToolTexts.english(self) }
}
