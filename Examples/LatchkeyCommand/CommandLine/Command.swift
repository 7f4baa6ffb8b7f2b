/// One command, as the table declares it: parsed, explained, completed and run from here.
struct Command: Sendable {
    /// The word after `latchkey`.
    var name: String
    /// One line for the list of commands, without a full stop.
    var summary: String
    /// Paragraphs for its own help.
    var details: [String] = []
    /// The members of its `--json` output, as pairs of member and meaning.
    var output: [(member: String, meaning: String)] = []
    /// Its options, `--help` left out.
    var options: [Option] = []
    /// What stands without an option's name; optional ones come last; only the last may be the rest.
    var operands: [Operand] = []
    /// Does it.
    var run: @Sendable (Invocation) async throws -> ExitStatus

    /// Its options, `--help` included.
    var everyOption: [Option] { options + [.help] }
}
