/// A parsed command line, checked against its command.
struct Arguments: Sendable {
    /// The command.
    let command: Command
    /// The values by the name of their option; flags have an empty list.
    private(set) var values: [String: [String]] = [:]
    /// The words without an option's name.
    private(set) var operands: [String] = []

    /// Creates arguments without any values.
    init(_ command: Command) { self.command = command }

    /// Whether `option` was given.
    func has(_ option: Option) -> Bool { values[option.name] != nil }

    /// The names of the options that were given, without these.
    func names(beside options: [Option]) -> Set<String> { Set(values.keys).subtracting(options.map(\.name)) }

    /// The value of `option`.
    subscript(option: Option) -> String? { values[option.name]?.last }

    /// Every value of `option`.
    func all(_ option: Option) -> [String] { values[option.name] ?? [] }

    /// The duration in `option`.
    func duration(_ option: Option) -> Duration? { self[option].flatMap(Durations.parse) }

    /// How long each answer of a service may take, if the line says so.
    ///
    /// The time of `request` is for the resource. What that sends to the identity service is not given up earlier.
    var serviceTimeout: Duration? {
        guard let text = self[.serviceTimeout] else { return nil }
        guard command.options.contains(.timeout) else { return ValueKind.wait(text) }
        return Durations.parse(text).map { max($0, .seconds(10)) }
    }

    /// The port in `option`.
    func port(_ option: Option) -> UInt16? { self[option].flatMap(ValueKind.port) }

    mutating func add(_ option: Option, _ value: String?) {
        values[option.name, default: []] += value.map { [$0] } ?? []
    }

    mutating func add(operand: String) { operands.append(operand) }

    mutating func add(leading operand: String) { operands.insert(operand, at: 0) }
}
