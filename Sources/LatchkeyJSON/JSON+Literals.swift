// MARK: ExpressibleByNilLiteral

extension JSON: ExpressibleByNilLiteral {
    /// `nil` is null.
    public init(nilLiteral: ()) { self = .null }
}

// MARK: ExpressibleByBooleanLiteral

extension JSON: ExpressibleByBooleanLiteral {
    /// A Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

// MARK: ExpressibleByIntegerLiteral

extension JSON: ExpressibleByIntegerLiteral {
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

// MARK: ExpressibleByFloatLiteral

extension JSON: ExpressibleByFloatLiteral {
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
}

// MARK: ExpressibleByStringLiteral

extension JSON: ExpressibleByStringLiteral {
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
}

// MARK: ExpressibleByArrayLiteral

extension JSON: ExpressibleByArrayLiteral {
    /// An array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

// MARK: ExpressibleByDictionaryLiteral

extension JSON: ExpressibleByDictionaryLiteral {
    /// An object. If a name occurs twice, the last member is kept.
    public init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(Dictionary(members) { _, last in last })
    }
}
