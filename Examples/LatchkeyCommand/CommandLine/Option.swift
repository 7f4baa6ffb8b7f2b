/// One option, as the table declares it: parsed, explained and completed from here.
struct Option: Hashable, Sendable {
    /// Without the two dashes.
    var name: String
    /// What follows it; `nil`: nothing, it is a flag.
    var value: Value?
    /// One sentence for the help, without a full stop.
    var help: String
    /// Whether it may be given several times.
    var repeats = false

    /// What follows an option.
    struct Value: Hashable, Sendable {
        /// As shown in the help, in capitals.
        var placeholder: String
        /// What it may be.
        var kind: ValueKind
    }

    /// An option without a value.
    static func flag(_ name: String, _ help: String) -> Option { Option(name: name, help: help) }

    /// An option with a value.
    static func value(
        _ name: String, _ placeholder: String, _ kind: ValueKind, _ help: String, repeats: Bool = false
    ) -> Option {
        Option(name: name, value: Value(placeholder: placeholder, kind: kind), help: help, repeats: repeats)
    }
}

/// What stands in a command line without an option's name.
struct Operand: Hashable, Sendable {
    /// How many there are.
    enum Count: Hashable, Sendable {
        /// Exactly one.
        case one
        /// One or none.
        case optional
        /// One or more, taken as they stand: options after the first are not this program's.
        case rest
    }

    /// As shown in the help, in capitals.
    var placeholder: String
    /// What it may be.
    var kind: ValueKind
    /// How many there are.
    var count: Count
    /// One sentence for the help, without a full stop.
    var help: String
}

// MARK: Options that several commands have

extension Option {
    static let help = flag("help", "Shows this help")
    static let json = flag("json", "Prints JSON instead of text; errors too")
    static let names = flag("names", "Prints the names only, one a line")
    static let profile = value(
        "profile", "NAME", .profile, "Uses this profile instead of $LATCHKEY_PROFILE or the one last logged in with")
    static let account = value(
        "account", "ACCOUNT", .account, "Uses this account instead of the current one; an id, or the name shown")
    static let audience = value("audience", "NAME", .text, "Asks for a token for this audience or resource")
    static let minimumValidity = value(
        "min-validity", "DURATION", .duration, "Refreshes a token that would last for less than this")
}
