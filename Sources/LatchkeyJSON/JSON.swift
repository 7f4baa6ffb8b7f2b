/// One JSON value.
///
/// Documents of identity services contain tokens, so a value never prints its content:
/// `description`, `dump` and interpolation show only its kind.
public enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number; always finite.
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])
}

extension JSON {
    /// The member named `name`; `nil` if this is not an object or has no such member.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The string; `nil` for other kinds.
    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The number, if it is an integer or has no fraction and fits; `nil` for other values.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): JSON.whole(value)
        default: nil
        }
    }

    // `Int64(exactly:)` calls libm's `trunc`, which a release program without Glibc or Foundation does not link.
    private static func whole(_ value: Double) -> Int64? {
        guard value >= -0x1p63, value < 0x1p63, Double(Int64(value)) == value else { return nil }
        return Int64(value)
    }

    /// The number, of either kind; `nil` for other kinds.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The Boolean; `nil` for other kinds.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The elements of an array; `nil` for other kinds.
    public var array: [JSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members of an object; `nil` for other kinds.
    public var object: [String: JSON]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}

extension JSON: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the value, never its content.
    public var description: String {
        switch self {
        case .null: "JSON null"
        case .bool: "JSON bool"
        case .integer, .number: "JSON number"
        case .string: "JSON string"
        case .array(let elements): "JSON array of \(elements.count)"
        case .object(let members): "JSON object of \(members.count)"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Empty, so that `dump` shows no content.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
