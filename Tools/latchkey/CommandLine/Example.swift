/// A command line that people copy, as it is typed in a shell.
struct Example: Hashable, Sendable {
    let line: String
    /// The key of what it does. An example with one also stands in the manual page's own list, which shows what the
    /// whole tool is for.
    let meaning: String?

    init(_ line: String, _ meaning: String? = nil) { (self.line, self.meaning) = (line, meaning) }
}

// MARK: - ExpressibleByStringLiteral

extension Example: ExpressibleByStringLiteral {
    init(stringLiteral line: String) { self.init(line) }
}
