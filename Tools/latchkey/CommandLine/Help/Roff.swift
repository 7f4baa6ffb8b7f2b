/// The source of a manual page, as groff_man(7) and mandoc read it. Every text is escaped.
struct Roff {
    private(set) var text = ""

    /// Adds a macro with its arguments.
    mutating func macro(_ name: String, _ arguments: String...) {
        let quoted = arguments.map { "\"\(Self.escaped($0).replacing("\"", with: "\\(dq"))\"" }
        text += ([".\(name)"] + quoted).joined(separator: " ") + "\n"
    }

    mutating func section(_ title: String) { macro("SH", title) }

    mutating func subsection(_ title: String) { macro("SS", title) }

    mutating func paragraph(_ words: String) { text += ".PP\n\(Self.escaped(words))\n" }

    /// Adds a line that stays a line.
    mutating func line(_ words: String) { text += "\(Self.escaped(words))\n.br\n" }

    /// Adds a command line as it is typed.
    mutating func example(_ line: String) { text += ".RS 4\n.EX\n\(Self.escaped(line))\n.EE\n.RE\n" }

    /// Adds a list of what is explained, in bold, with its explanations.
    mutating func entries(_ entries: [(name: String, meaning: String)]) {
        for (name, meaning) in entries {
            text += ".TP\n\\fB\(Self.escaped(name))\\fR\n\(Self.escaped(meaning))\n"
        }
    }

    /// Returns `text` so that it is shown as it is: no escapes, no requests, and hyphens that can be copied.
    private static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}
