/// One option as the table declares it. Parsing, help and completion use this.
struct Option: Hashable, Sendable {
    /// The name, without the two dashes.
    var name: String
    /// The value after it; `nil` for a flag.
    var value: Value?
    /// One sentence for the help, without a full stop.
    var help: String
    /// Whether it may be given several times.
    var repeats = false

    /// The value after an option.
    struct Value: Hashable, Sendable {
        /// The placeholder in the help, in capitals.
        var placeholder: String
        /// What the value may be.
        var kind: ValueKind
    }

    /// Creates an option without a value.
    static func flag(_ name: String, _ help: String) -> Option { Option(name: name, help: help) }

    /// Creates an option with a value.
    static func value(
        _ name: String, _ placeholder: String, _ kind: ValueKind, _ help: String, repeats: Bool = false
    ) -> Option {
        Option(name: name, value: Value(placeholder: placeholder, kind: kind), help: help, repeats: repeats)
    }
}

/// A word in a command line without an option's name.
struct Operand: Hashable, Sendable {
    /// How many words.
    enum Count: Hashable, Sendable {
        /// Exactly one.
        case one
        /// One or none.
        case optional
        /// One, or none where another follows it: then it is this word.
        case leading(usual: String)
        /// One or more, taken as they are: options after the first belong to another program.
        case rest
        /// The same, or none.
        case optionalRest
        /// Any number, or none; options may come between them.
        case several

        /// Whether the words belong to another program.
        var isRest: Bool { self == .rest || self == .optionalRest }

        /// Whether the line may end before it.
        var mayBeMissing: Bool { self == .optional || self == .optionalRest || self == .several }
    }

    /// The placeholder in the help, in capitals.
    var placeholder: String
    /// What the word may be.
    var kind: ValueKind
    /// How many words.
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
    static let verbose = flag(
        "verbose", "Tells on standard error of each request and answer, without any value that could be secret")
    static let serviceTimeout = value(
        "timeout", "DURATION", .wait,
        "Waits this long for each answer of the service, from 1s to 10m, instead of 10s; what spends a code or a token is"
            + " waited for 60s at least")
    static let now = flag("now", "Asks even if the service wants to be left alone for a while (Retry-After)")
    static let strict = flag("strict", "Fails if the token lasts for less than --min-validity even so")
}
