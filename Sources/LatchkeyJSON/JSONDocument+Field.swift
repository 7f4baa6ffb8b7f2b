extension JSONDocument {
    /// A value and its place in a document: for a document what ``JSONField`` is for a ``JSON``.
    package struct Field: Sendable {
        let document: JSONDocument
        /// The value; for an absent one, the last value that exists on the way to it.
        let node: Int
        /// The part of the way that does not exist, as `a.b`; `nil` if the value exists.
        var absent: String?
    }
}

extension JSONDocument.Field {
    /// The path, such as `$.keys[2].n`.
    package var path: String { document.path(to: node) + (absent.map { ".\($0)" } ?? "") }

    /// The member named `name`; a field without value if there is none.
    package subscript(name: String) -> Self {
        if let absent { return Self(document: document, node: node, absent: "\(absent).\(name)") }
        guard let member = document.member(name, of: node) else {
            return Self(document: document, node: node, absent: name)
        }
        return Self(document: document, node: member)
    }

    /// Whether there is a value other than null.
    package var isPresent: Bool { absent == nil && kind != .null }

    /// The field itself; `nil` if it is absent or null.
    package var optional: Self? { isPresent ? self : nil }

    /// The value; `nil` if it is absent.
    package var json: JSON? {
        // A plain `nil` here would become JSON null.
        absent == nil ? document.json(node) : JSON?.none
    }

    /// The bytes that an object or array was read from; `nil` for other kinds.
    var source: ArraySlice<UInt8>? {
        guard absent == nil, kind == .object || kind == .array else { return nil }
        let place = document.nodes[node]
        return document.bytes[Int(place.content)..<place.end]
    }

    /// Whether the value is an array.
    package var isArray: Bool { absent == nil && kind == .array }

    /// Returns the string. Throws ``JSONError`` `missing` or `wrongType`, naming the path.
    package func string() throws(JSONError) -> String {
        try require(kind == .text || kind == .escapedText)
        return document.text(node)
    }

    /// Returns the whole number.
    package func integer() throws(JSONError) -> Int64 {
        let number = kind == .integer || kind == .number ? json?.integer : nil
        try require(number != nil)
        return number ?? 0
    }

    /// Returns the number.
    package func number() throws(JSONError) -> Double {
        try require(kind == .integer || kind == .number)
        return json?.number ?? 0
    }

    /// Returns the Boolean.
    package func bool() throws(JSONError) -> Bool {
        try require(kind == .yes || kind == .no)
        return kind == .yes
    }

    /// Returns the elements of the array.
    package func array() throws(JSONError) -> [Self] {
        try require(kind == .array)
        var elements: [Self] = []
        var next = node + 1
        while next < document.nodes[node].next {
            elements.append(Self(document: document, node: next))
            next = document.nodes[next].next
        }
        return elements
    }

    /// Returns the members of the object.
    package func members() throws(JSONError) -> [(name: String, value: Self)] {
        try require(kind == .object)
        var members: [(name: String, value: Self)] = []
        document.forEachMember(of: node) { name in
            members.append((document.text(name), Self(document: document, node: name + 1)))
        }
        return members
    }

    /// Returns the members whose names are not in `known`; none if this is not an object.
    package func members(except known: [String]) -> [String: JSON] {
        var rest: [String: JSON] = [:]
        guard absent == nil, kind == .object else { return rest }
        document.forEachMember(of: node) { name in
            for candidate in known where document.isName(name, candidate) { return }
            rest[document.text(name)] = document.json(name + 1)
        }
        return rest
    }

    private var kind: JSONDocument.Node.Kind { document.nodes[node].kind }

    private func require(_ isRight: Bool) throws(JSONError) {
        guard isPresent else { throw JSONError(.missing, at: path) }
        guard isRight else { throw JSONError(.wrongType, at: path) }
    }
}
