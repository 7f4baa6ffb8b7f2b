/// A mistake in the command line. Exit status 2.
struct UsageError: Error, Hashable, Sendable {
    /// One sentence without a full stop. Never contains a value from the command line.
    let text: ToolText
    /// What the person does next, one line.
    let next: ToolText

    /// Creates an error with its own hint.
    init(_ key: String, _ values: [String: String] = [:], parts: [String: ToolText] = [:], hint: ToolText) {
        text = ToolText(key, values, parts: parts)
        next = hint
    }

    /// Creates an error that points to the command's help.
    init(_ key: String, _ values: [String: String] = [:], parts: [String: ToolText] = [:], command: Command) {
        text = ToolText(key, values, parts: parts)
        next = .run("latchkey help \(command.name)")
    }

    /// ``text`` in English.
    var message: String { text.english }

    /// ``next`` in English.
    var hint: String { next.english }
}
