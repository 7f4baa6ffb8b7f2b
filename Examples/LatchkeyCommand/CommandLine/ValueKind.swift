/// What an option's value or an operand may be: how it is checked, and how shells complete it.
enum ValueKind: Hashable, Sendable {
    /// Any text of one line.
    case text
    /// A path of a file.
    case file
    /// An address of the identity service.
    case url
    /// As ``Durations`` reads them.
    case duration
    /// A TCP port.
    case port
    /// The name of a profile.
    case profile
    /// An account, by name or id.
    case account
    /// The name of a command.
    case command
    /// A program on the path.
    case program
    /// One of these words.
    case words([String])

    /// What is wrong with `text`; `nil` when nothing is. Never repeats the text.
    func complaint(about text: String) -> String? {
        if text.isEmpty { return "is empty" }
        if text.utf8.count > 8_192 { return "is longer than 8192 bytes" }
        if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "holds control characters" }
        switch self {
        case .text, .file, .account, .command, .program:
            return nil
        case .url:
            return text.contains("://") && !text.contains(" ")
                ? nil : "is not an address such as https://id.example.com"
        case .duration:
            return Durations.parse(text) == nil ? "is not a duration such as 90s, 5m or 1h30m" : nil
        case .port:
            return Self.port(text) == nil ? "is not a port number from 1 to 65535" : nil
        case .profile:
            return ProfileName.isValid(text) ? nil : "is not a name of 1 to 64 letters, digits, '.', '_' or '-'"
        case .words(let words):
            return words.contains(text) ? nil : "is none of " + words.joined(separator: ", ")
        }
    }

    /// The port that `text` names.
    static func port(_ text: String) -> UInt16? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text), port > 0 else {
            return nil
        }
        return port
    }
}
