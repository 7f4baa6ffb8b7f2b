/// What an option's value or an operand may be. Checks and shell completion use this.
enum ValueKind: Hashable, Sendable {
    /// Any text of one line.
    case text
    /// A path of a file.
    case file
    /// An address of the identity service.
    case url
    /// A duration that ``Durations`` parses.
    case duration
    /// A duration that ``Durations`` parses, or a whole number of seconds; from 1 second to 10 minutes.
    case wait
    /// A TCP port.
    case port
    /// The name of a profile.
    case profile
    /// An account, by name or ID.
    case account
    /// The name of a command.
    case command
    /// A program in `PATH`.
    case program
    /// One of these words.
    case words([String])
    /// Any text of one line, but mostly one of these words.
    case mostly([String])
    /// One of these words, in capitals or not.
    case anyCase([String])

    /// Returns what is wrong with `text`; `nil` if nothing is. Never repeats the text.
    func complaint(about text: String) -> ToolText? {
        if text.isEmpty { return ToolText("complaint.empty") }
        if text.utf8.count > 8_192 { return ToolText("complaint.long") }
        if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return ToolText("complaint.control") }
        switch self {
        case .text, .file, .account, .command, .program, .mostly:
            return nil
        case .url:
            return text.contains("://") && !text.contains(" ")
                ? nil : ToolText("complaint.address")
        case .duration:
            return Durations.parse(text) == nil ? ToolText("complaint.duration") : nil
        case .wait:
            return Self.wait(text) == nil ? ToolText("complaint.wait") : nil
        case .port:
            return Self.port(text) == nil ? ToolText("complaint.port") : nil
        case .profile:
            return ProfileName.isValid(text) ? nil : ToolText("complaint.profile")
        case .words(let words):
            return words.contains(text)
                ? nil
                : ToolText("complaint.words", ["words": words.joined(separator: ", ")])
        case .anyCase(let words):
            return Self.words(words).complaint(about: text.uppercased())
        }
    }

    /// Parses how long to wait for an answer.
    static func wait(_ text: String) -> Duration? {
        let digits = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard let time = Durations.parse(digits ? text + "s" : text), (.seconds(1) ... .seconds(600)).contains(time)
        else { return nil }
        return time
    }

    /// Parses a port.
    static func port(_ text: String) -> UInt16? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text), port > 0 else {
            return nil
        }
        return port
    }
}
