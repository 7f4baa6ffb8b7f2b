/// One JSON value.
///
/// Documents of identity services carry tokens, so a value never prints its content: `description`, `dump` and
/// interpolation show only its kind.
public enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number written without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number; always finite.
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])
}

extension JSON {
    /// The member called `name`, when this is an object that has it.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The text, when this is a string.
    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The number, when this is an integer, or a number with no fraction that fits.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): JSON.whole(value)
        default: nil
        }
    }

    // `Int64(exactly:)` calls `trunc` of libm, which a release program without Glibc or Foundation does not link.
    private static func whole(_ value: Double) -> Int64? {
        guard value >= -0x1p63, value < 0x1p63, Double(Int64(value)) == value else { return nil }
        return Int64(value)
    }

    /// The number, when this is one of either kind.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The truth value, when this is one.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The elements, when this is an array.
    public var array: [JSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members, when this is an object.
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
