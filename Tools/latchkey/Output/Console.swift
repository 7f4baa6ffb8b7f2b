#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Standard input, output and error. Tests replace them.
struct Console: Sendable {
    /// One of the three.
    enum Stream: Int32, Sendable {
        /// Input from a person.
        case input
        /// Results.
        case output
        /// Errors, prompts and progress.
        case error
    }

    /// Writing failed because the reader is gone, or the disk is full.
    struct WriteError: Error {
        /// Whether the reader is gone.
        var readerGone: Bool
    }

    /// Writes all bytes to output or error; throws ``WriteError``.
    var write: @Sendable (Stream, [UInt8]) throws -> Void
    /// Whether a stream is a terminal.
    var isTerminal: @Sendable (Stream) -> Bool
    /// Reads the next line of standard input without its end, of at most so many bytes; `nil` at the end.
    var readLine: @Sendable (_ limit: Int) throws -> [UInt8]?
    /// Reads standard input to its end; `nil` if that is more than so many bytes.
    var readAll: @Sendable (_ limit: Int) throws -> [UInt8]? = { limit in try readAll(from: 0, limit: limit) }

    /// How many columns the terminal of standard output has; `nil` if that is no terminal.
    var columns: @Sendable () -> Int? = { nil }

    /// The process's own.
    static let standard = Console(
        write: { stream, bytes in try writeAll(bytes, to: stream.rawValue) },
        isTerminal: { isatty($0.rawValue) == 1 },
        readLine: { limit in try readLine(from: 0, limit: limit) },
        columns: { width(of: Stream.output.rawValue) })

    /// Writes a line to standard output.
    func say(_ line: String) throws { try write(.output, Array((line + "\n").utf8)) }

    /// Writes a line to standard error, and ignores failures.
    func note(_ line: String) { try? write(.error, Array((line + "\n").utf8)) }

    /// Returns the text with control characters replaced, so that a service's text cannot control the terminal.
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

    /// Returns a foreign text of several lines for a terminal. Tabs and line ends stay, other control characters
    /// are replaced.
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

    /// Returns a JSON document with escapes for every character that could control a terminal or hide text: DEL and
    /// the C1 controls, line and paragraph separators, format characters (direction, tags).
    ///
    /// They can occur only in strings, so escaping them does not change the document (RFC 8259, section 7).
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

    private static func width(of file: Int32) -> Int? {
        var size = winsize()
        guard ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
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

    // Reads one byte at a time, because input after the line belongs to the next reader of standard input.
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

    /// Waits in short intervals, so that Ctrl-C ends a wait for input.
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
