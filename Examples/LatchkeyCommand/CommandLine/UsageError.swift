/// The command line is wrong. Exit status 2.
struct UsageError: Error, Hashable, Sendable {
    /// One sentence without a full stop. Never holds a value that was given.
    let text: ToolText
    /// What to do, one line.
    let next: ToolText

    /// An error with a hint of its own.
    init(_ key: String, _ values: [String: String] = [:], hint: ToolText) {
        text = ToolText(key, values)
        next = hint
    }

    /// An error that points to the command's help.
    init(_ key: String, _ values: [String: String] = [:], parts: [String: ToolText] = [:], command: Command) {
        text = ToolText(key, values, parts: parts)
        next = .run("latchkey help \(command.name)")
    }

    /// ``text`` in English.
    var message: String { text.english }

    /// ``next`` in English.
    var hint: String { next.english }
}
