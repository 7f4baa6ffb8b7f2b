/// One command as the table declares it. Parsing, help, completion and running use this.
struct Command: Sendable {
    /// The word after `latchkey`.
    var name: String
    /// One line for the list of commands, without a full stop.
    var summary: String
    /// Paragraphs for its own help.
    var details: [String] = []
    /// Command lines that people copy.
    var examples: [Example] = []
    /// The members of its `--json` output, as pairs of member and meaning.
    var output: [(member: String, meaning: String)] = []
    /// Its options, without `--help`.
    var options: [Option] = []
    /// Its operands. Optional ones come last, and only the last may be the rest of the line.
    var operands: [Operand] = []
    /// Runs the command.
    var run: @Sendable (Invocation) async throws -> ExitStatus

    /// Its options, with `--help`, and with `--timeout` if it may ask a service and has none of its own.
    var everyOption: [Option] {
        let mayAsk = options.contains(.verbose) || options.contains(.askPerson)
        let hasOwn = options.contains { $0.name == Option.serviceTimeout.name }
        return options + (mayAsk && !hasOwn ? [.serviceTimeout] : []) + [.help]
    }
}
