/// The parameters of a form or query, in order. They may hold tokens, so only their number is printed.
public struct FormParameters: Sendable {
    /// The names and values, including duplicates.
    public private(set) var pairs: [(name: String, value: String)]

    /// Creates parameters from pairs.
    public init(_ pairs: [(name: String, value: String)] = []) { self.pairs = pairs }

    /// Adds a parameter.
    public mutating func add(_ name: String, _ value: String) { pairs.append((name, value)) }

    /// Adds a parameter if its value is not empty (RFC 6749, section 3.1: empty counts as left out).
    public mutating func add(_ name: String, ifAny value: String?) {
        if let value, !value.isEmpty { add(name, value) }
    }

    /// Adds each parameter whose name is not there yet.
    mutating func addFurther(_ extra: [(name: String, value: String)]) {
        for (name, value) in extra where self[name] == nil { add(name, value) }
    }

    /// The first value under `name`.
    public subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

    /// Returns how often `name` occurs.
    public func count(of name: String) -> Int { pairs.count { $0.name == name } }
}

extension FormParameters: CustomStringConvertible, CustomReflectable {
    /// The number of parameters, without values, which may be secret.
    public var description: String { "\(pairs.count) parameters" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
