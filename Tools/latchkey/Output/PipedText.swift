import Latchkey

/// A line that a program or an editor wrote to standard input or a file, for what a person would type.
enum PipedText {
    /// Returns the next line of standard input.
    ///
    /// - Throws: ``UsageError`` if there is none, or it is no text.
    static func line(_ invocation: Invocation, limit: Int) throws -> Secret {
        let command = invocation.arguments.command
        let line = try invocation.console.readLine(limit).map(withoutMark) ?? []
        guard !line.isEmpty else { throw UsageError("usage.inputEmpty", command: command) }
        guard isText(line) else { throw UsageError("usage.inputEncoding", hint: ToolText("hint.inputEncoding")) }
        return Secret(line)
    }

    /// Returns the bytes without the mark of UTF-8 (BOM) that editors and shells of Windows begin a text with.
    static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    /// Whether the bytes are UTF-8, the one encoding that services take, and have no NUL, as UTF-16 does.
    static func isText(_ bytes: [UInt8]) -> Bool {
        !bytes.contains(0) && Array(String(decoding: bytes, as: UTF8.self).utf8) == bytes
    }
}
