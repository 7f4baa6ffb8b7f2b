/// A document that is only written. Nothing in it can be looked up, so no table is built for an object.
package enum JSONDraft: Sendable {
    case value(JSON)
    case array([JSONDraft])
    /// An object, whose names must differ.
    case object([(name: String, value: JSONDraft)])
    /// A value that was read, in its original bytes.
    case source(JSONDocument.Field)

    package static func string(_ text: String) -> Self { .value(.string(text)) }
    package static func integer(_ value: Int64) -> Self { .value(.integer(value)) }
    package static func number(_ value: Double) -> Self { .value(.number(value)) }
    package static func bool(_ value: Bool) -> Self { .value(.bool(value)) }

    /// Returns an object of the members that have a value, and of the members of `others` with other names.
    package static func members(
        _ members: KeyValuePairs<String, JSONDraft?>, adding others: [String: JSON] = [:]
    ) -> Self {
        var all: [(name: String, value: JSONDraft)] = []
        all.reserveCapacity(members.count + others.count)
        for (name, value) in members { if let value { all.append((name, value)) } }
        // The names of `others` differ from each other; comparing them too would take time that
        // grows with the square.
        let own = all
        for (name, value) in others where !own.contains(where: { $0.name == name }) {
            all.append((name, .value(value)))
        }
        return .object(all)
    }

    /// Returns the bytes, the same as for a ``JSON`` with the same content.
    package func serialized() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1_024)
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .value(let value): value.write(to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in Self.sorted(members).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSON.write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        case .source(let field):
            if let source = field.source { bytes += source } else { (field.json ?? .null).write(to: &bytes) }
        }
    }

    /// Sorts by the bytes of the names. Most sources are sorted already.
    private static func sorted(
        _ members: [(name: String, value: JSONDraft)]
    ) -> [(name: String, value: JSONDraft)] {
        for index in members.indices.dropFirst() where precedes(members[index].name, members[index - 1].name) {
            return members.sorted { precedes($0.name, $1.name) }
        }
        return members
    }

    private static func precedes(_ one: String, _ other: String) -> Bool {
        var (one, other) = (one, other)
        return one.withUTF8 { one in other.withUTF8 { other in one.lexicographicallyPrecedes(other) } }
    }
}

extension JSONDraft: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
    package init(stringLiteral text: String) { self = .string(text) }

    package init(dictionaryLiteral members: (String, JSONDraft)...) {
        self = .object(members.map { (name: $0.0, value: $0.1) })
    }
}
