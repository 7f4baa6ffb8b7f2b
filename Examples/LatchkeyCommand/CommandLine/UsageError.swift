/// The command line is wrong. Exit status 2.
struct UsageError: Error, Hashable, Sendable {
    /// One sentence without a full stop. Never holds a value that was given.
    var message: String
    /// What to do, one line.
    var hint: String

    /// An error with a hint of its own.
    init(_ message: String, hint: String) {
        self.message = message
        self.hint = hint
    }

    /// An error that points to the command's help.
    init(_ message: String, command: Command) {
        self.init(message, hint: "Run: latchkey help \(command.name)")
    }
}
