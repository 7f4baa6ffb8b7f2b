#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Standard input, output and error, so that tests can stand in for them.
struct Console: Sendable {
    /// One of the three.
    enum Stream: Int32, Sendable {
        /// Where people's answers come from.
        case input
        /// Results.
        case output
        /// Errors, prompts and progress.
        case error
    }

    /// Nobody reads any more, or the disk is full.
    struct WriteError: Error {
        /// Whether the reader went away.
        var readerGone: Bool
    }

    /// Writes all bytes to output or error; throws ``WriteError``.
    var write: @Sendable (Stream, [UInt8]) throws -> Void
    /// Whether a stream is a terminal.
    var isTerminal: @Sendable (Stream) -> Bool
    /// The next line of standard input without its end, of at most so many bytes; `nil` at its end.
    var readLine: @Sendable (_ limit: Int) throws -> [UInt8]?
    /// Standard input up to its end; `nil` when that is more than so many bytes.
    var readAll: @Sendable (_ limit: Int) throws -> [UInt8]? = { limit in try readAll(from: 0, limit: limit) }

    /// The real ones.
    static let standard = Console(
        write: { stream, bytes in try writeAll(bytes, to: stream.rawValue) },
        isTerminal: { isatty($0.rawValue) == 1 },
        readLine: { limit in try readLine(from: 0, limit: limit) })

    /// Writes a line to standard output.
    func say(_ line: String) throws { try write(.output, Array((line + "\n").utf8)) }

    /// Writes a line to standard error, as far as it can be written.
    func note(_ line: String) { try? write(.error, Array((line + "\n").utf8)) }

    /// The text with control characters replaced, so that a service's words cannot steer the terminal.
    static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .format: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }

    /// A foreign text of several lines for a terminal: tabs and ends of lines stay, what else steers it is replaced.
    static func printableText(_ bytes: [UInt8]) -> [UInt8] {
        let lines = String(decoding: bytes, as: UTF8.self).unicodeScalars.split(
            separator: "\n", omittingEmptySubsequences: false)
        let cleaned = lines.map { line in
            let hasReturn = line.last == "\r"
            let parts = (hasReturn ? line.dropLast() : line).split(separator: "\t", omittingEmptySubsequences: false)
            return parts.map { printable(String(Substring($0))) }.joined(separator: "\t")
        }
        return Array(cleaned.joined(separator: "\n").utf8)
    }

    /// The bytes of a JSON document, with every character escaped that could steer a terminal or hide text: DEL and the
    /// C1 controls, line and paragraph separators, format characters (direction, tags).
    ///
    /// They can stand in strings only, so that escaping them leaves the document what it is (RFC 8259, section 7).
    static func escaped(_ json: [UInt8]) -> [UInt8] {
        guard json.contains(where: { $0 >= 0x7F }) else { return json }
        var text = ""
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar.value < 0x7F: text.unicodeScalars.append(scalar)
            case .control, .lineSeparator, .paragraphSeparator, .format:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        return Array(text.utf8)
    }

    private static func writeAll(_ bytes: [UInt8], to file: Int32) throws {
        var done = 0
        while done < bytes.count {
            let put = bytes[done...].withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
            if put < 0 {
                if errno == EINTR { continue }
                throw WriteError(readerGone: errno == EPIPE)
            }
            done += put
        }
    }

    // One byte at a time: what follows the line belongs to whoever reads standard input next.
    private static func readLine(from file: Int32, limit: Int) throws -> [UInt8]? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let got = try read(from: file, &byte, 1)
            if got == 0 { return line.isEmpty ? nil : line }
            if byte == UInt8(ascii: "\n") { return line.last == UInt8(ascii: "\r") ? line.dropLast() : line }
            guard line.count < limit else {
                throw UsageError("usage.lineTooLong", hint: ToolText("hint.input"))
            }
            line.append(byte)
        }
    }

    private static func readAll(from file: Int32, limit: Int) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let got = try piece.withUnsafeMutableBytes { try read(from: file, $0.baseAddress, $0.count) }
            if got == 0 { return bytes }
            bytes += piece[..<got]
        }
        return nil
    }

    /// Waits in slices, so that Ctrl-C ends a wait for input that never comes.
    private static func read(from file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) throws -> Int {
        while true {
            var descriptor = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            let ready = poll(&descriptor, 1, 100)
            try Task.checkCancellation()
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            let got = systemRead(file, buffer, count)
            if got >= 0 { return got }
            if errno != EINTR && errno != EAGAIN {
                throw UsageError("usage.inputUnreadable", hint: ToolText("hint.input"))
            }
        }
    }
}

private func systemWrite(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int { write(file, buffer, count) }

private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, buffer, count)
}
