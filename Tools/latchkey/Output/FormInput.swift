import Latchkey

/// The fields of a form, as a program writes them to standard input: `NAME=VALUE`, a line each.
struct FormInput {
    private let fields: [Ask.Field]
    private let invocation: Invocation

    /// - Throws: ``UsageError`` if the challenge asks for something else.
    init(_ challenge: Challenge, _ invocation: Invocation) throws {
        guard case .fields(let fields) = challenge.ask else {
            throw UsageError("usage.noForm", command: invocation.arguments.command)
        }
        (self.fields, self.invocation) = (fields, invocation)
    }

    /// Reads to the end of standard input.
    ///
    /// - Throws: ``UsageError`` for a line without a name, a field that the form does not have or that came before, and one
    ///   that it needs and that is missing. The values are in no error.
    func answer() throws -> Answer {
        var values: [String: Secret] = [:]
        while let line = try invocation.console.readLine(16_384).map(PipedText.withoutMark) {
            guard !line.isEmpty else { continue }
            guard PipedText.isText(line) else {
                throw UsageError("usage.inputEncoding", hint: ToolText("hint.inputEncoding"))
            }
            guard let mark = line.firstIndex(of: UInt8(ascii: "=")) else { throw wrong("usage.fieldLine") }
            let name = String(decoding: line[..<mark], as: UTF8.self)
            guard fields.contains(where: { $0.name == name }), values[name] == nil else {
                throw wrong("usage.fieldName")
            }
            values[name] = Secret(Array(line[(mark + 1)...]))
        }
        guard fields.allSatisfy({ !$0.required || values[$0.name]?.isEmpty == false }) else {
            throw wrong("usage.fieldMissing")
        }
        return .fields(values)
    }

    private func wrong(_ key: String) -> UsageError {
        let names = fields.map { $0.required ? $0.name : "[\($0.name)]" }.joined(separator: ", ")
        return UsageError(key, ["fields": names], command: invocation.arguments.command)
    }
}
