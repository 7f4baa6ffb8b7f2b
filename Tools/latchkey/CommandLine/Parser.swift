/// Parses command lines by the table.
///
/// Options are `--name`, `--name value` or `--name=value`; a lone `--` ends them. Options come after the command's
/// name, so that nothing before it can change its meaning. An unknown word is refused with the nearest known one.
/// Messages never repeat a value, because it may be a secret.
struct Parser {
    /// What a command line asks for.
    enum Request {
        /// Run a command.
        case run(Arguments)
        /// Show the help of a command, or of the program.
        case help(Command?)
        /// Show the version.
        case version
    }

    /// The known commands.
    var commands = CommandTable.commands

    /// Parses the words after the program's name.
    func parse(_ words: [String]) throws(UsageError) -> Request {
        // Whoever types the name alone wants to know what there is.
        guard let first = words.first else { return .help(nil) }
        switch first {
        case "--help", "-h": return .help(nil)
        case "--version", "-V", "-v", "version": return .version
        default: break
        }
        if first.hasPrefix("-") {
            throw UsageError(
                "usage.optionBefore", ["option": Self.nameOnly(first)], hint: .run("latchkey help"))
        }
        guard let command = commands.first(where: { $0.name == first }) else {
            throw unknown("usage.noSuchCommand", first, among: commands.map(\.name), otherwise: "latchkey help")
        }
        return try parse(words.dropFirst(), of: command)
    }

    private func parse(_ words: ArraySlice<String>, of command: Command) throws(UsageError) -> Request {
        var arguments = Arguments(command)
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                rest.forEach { arguments.add(operand: $0) }
                break
            }
            if word == "-h" || word == "--help" { return .help(command) }
            if word.hasPrefix("-"), word != "-" {
                try take(word, from: &rest, into: &arguments)
            } else {
                arguments.add(operand: word)
                if takesRest(command, at: arguments.operands.count) {
                    rest.forEach { arguments.add(operand: $0) }
                    break
                }
            }
        }
        if case .leading(let usual)? = command.operands.first?.count,
            arguments.operands.count == command.operands.count - 1
        {
            arguments.add(leading: usual)
        }
        try check(arguments)
        return .run(arguments)
    }

    private func take(
        _ word: String, from rest: inout ArraySlice<String>, into arguments: inout Arguments
    ) throws(UsageError) {
        let command = arguments.command
        let shown = Self.nameOnly(word)
        guard let option = command.everyOption.first(where: { "--\($0.name)" == shown }) else {
            throw unknown(
                "usage.noSuchOption", shown, among: command.everyOption.map { "--\($0.name)" },
                otherwise: "latchkey help \(command.name)")
        }
        let attached = word.count > shown.count ? String(word.dropFirst(shown.count + 1)) : nil
        if arguments.has(option), !option.repeats {
            throw UsageError("usage.twice", ["option": shown], command: command)
        }
        guard let value = option.value else {
            guard attached == nil else { throw UsageError("usage.takesNoValue", ["option": shown], command: command) }
            arguments.add(option, nil)
            return
        }
        guard let text = attached ?? rest.first.flatMap({ $0.hasPrefix("--") ? nil : $0 }) else {
            throw UsageError(
                "usage.needsValue", ["option": shown, "placeholder": value.placeholder], command: command)
        }
        if attached == nil { rest.removeFirst() }
        if let complaint = value.kind.complaint(about: text) {
            throw UsageError("usage.value", ["option": shown], parts: ["complaint": complaint], command: command)
        }
        arguments.add(option, text)
    }

    private func takesRest(_ command: Command, at count: Int) -> Bool {
        guard let last = command.operands.last, last.count.isRest else { return false }
        return count >= command.operands.count
    }

    private func check(_ arguments: Arguments) throws(UsageError) {
        let command = arguments.command
        for (index, operand) in command.operands.enumerated() {
            guard index < arguments.operands.count else {
                if operand.count.mayBeMissing { continue }
                throw UsageError("usage.operandMissing", ["operand": operand.placeholder], command: command)
            }
            if !operand.count.isRest, let complaint = operand.kind.complaint(about: arguments.operands[index]) {
                throw UsageError(
                    "usage.operand", ["operand": operand.placeholder], parts: ["complaint": complaint], command: command
                )
            }
        }
        if command.operands.last?.count == .several {
            for text in arguments.operands.dropFirst(command.operands.count) {
                guard let complaint = ValueKind.text.complaint(about: text) else { continue }
                throw UsageError(
                    "usage.operand", ["operand": command.operands.last?.placeholder ?? ""],
                    parts: ["complaint": complaint], command: command)
            }
        } else if arguments.operands.count > command.operands.count, command.operands.last?.count.isRest != true {
            throw UsageError("usage.tooMany", ["command": command.name], command: command)
        }
    }

    private func unknown(
        _ key: String, _ word: String, among known: [String], otherwise: String
    ) -> UsageError {
        let shown = Console.printable(String(word.prefix(64)))
        if word.lowercased().contains("secret") {
            return UsageError(
                "usage.secretOption", ["word": shown], hint: ToolText("hint.secretOption"))
        }
        let nearest = Suggestion.nearest(to: word, among: known)
        return UsageError(
            key, ["word": shown], hint: nearest.map { ToolText("hint.didYouMean", ["word": $0]) } ?? .run(otherwise))
    }

    /// Returns the word up to its `=`, the part that may be shown.
    private static func nameOnly(_ word: String) -> String { String(word.prefix { $0 != "=" }) }
}
