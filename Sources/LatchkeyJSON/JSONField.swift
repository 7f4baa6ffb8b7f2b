/// A value and its place in a document, for decoding with errors that name the place.
public struct JSONField: Sendable {
    /// The value; `nil` if the member is absent.
    public let value: JSON?
    // Turned into text only on request, which is when something is wrong.
    private let place: Place

    /// The path, such as `$.keys[2].n`.
    public var path: String { place.text }

    /// Creates a field for the root of a document.
    public init(_ value: JSON, path: String = "$") { self.init(value, at: .root(path)) }

    private init(_ value: JSON?, at place: Place) {
        self.value = value
        self.place = place
    }

    /// The member named `name`; a field without value if there is none.
    public subscript(name: String) -> JSONField { JSONField(value?[name], at: .member(name, of: place)) }

    /// Whether there is a value other than null.
    public var isPresent: Bool { value != nil && value != .null }

    /// Returns the string. Throws ``JSONError`` `missing` or `wrongType`, naming the path.
    public func string() throws(JSONError) -> String { try required(value?.string) }

    /// Returns the whole number.
    public func integer() throws(JSONError) -> Int64 { try required(value?.integer) }

    /// Returns the number.
    public func number() throws(JSONError) -> Double { try required(value?.number) }

    /// Returns the Boolean.
    public func bool() throws(JSONError) -> Bool { try required(value?.bool) }

    /// Returns the members of the object.
    public func object() throws(JSONError) -> [String: JSON] { try required(value?.object) }

    /// Returns the elements of the array, each with its place.
    public func array() throws(JSONError) -> [JSONField] {
        try required(value?.array).enumerated().map { JSONField($1, at: .element($0, of: place)) }
    }

    /// The field itself; `nil` if it is absent or null. `try field.optional?.string()` thus reads
    /// an optional member, whose type must be right if it is there.
    public var optional: JSONField? { isPresent ? self : nil }

    private func required<Value>(_ found: Value?) throws(JSONError) -> Value {
        guard isPresent else { throw JSONError(.missing, at: path) }
        guard let found else { throw JSONError(.wrongType, at: path) }
        return found
    }

    private indirect enum Place: Sendable {
        case root(String)
        case member(String, of: Place)
        case element(Int, of: Place)

        var text: String {
            switch self {
            case .root(let text): text
            case .member(let name, let holder): "\(holder.text).\(name)"
            case .element(let index, let holder): "\(holder.text)[\(index)]"
            }
        }
    }
}
