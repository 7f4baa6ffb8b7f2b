/// A document as the portable reader read it: the place of each value in the bytes, without copies.
///
/// It suits documents whose values are mostly read once, such as the library's own records: it
/// builds no table for an object, and makes a string only when asked. It holds the bytes, with any
/// secrets in them, and never prints them.
package final class JSONDocument: Sendable {
    /// A value, or the name of a member. Its content follows it: for an object, names and values alternate.
    struct Node: Sendable {
        enum Kind: UInt8, Sendable {
            case null, yes, no, integer, number, text, escapedText, array, object
        }

        var kind: Kind
        /// For an array or object, the number of its elements or members.
        var count: UInt32 = 0
        /// For a number, its bits. For a string, array or object, the place where it starts.
        var content: Int64 = 0
        /// The place where the content ends.
        var end = 0
        /// The index of the node after this one and all its content.
        var next: Int
    }

    let bytes: [UInt8]
    let isASCII: Bool
    let nodes: [Node]

    init(_ bytes: [UInt8], isASCII: Bool, _ nodes: [Node]) {
        self.bytes = bytes
        self.isASCII = isASCII
        self.nodes = nodes
    }

    /// Reads a document, as ``JSON/parse(_:limits:)`` does.
    package static func parse(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> JSONDocument {
        try PortableReader.parse(bytes, limits: limits)
    }

    /// The field of the whole document.
    package var root: Field { Field(document: self, node: 0) }

    func text(_ place: Int) -> String {
        let node = nodes[place]
        let span = JSONScanner.Span(start: Int(node.content), end: node.end, isPlain: node.kind == .text)
        return JSONScanner(bytes, isASCII: isASCII).text(span)
    }

    func json(_ place: Int) -> JSON {
        let node = nodes[place]
        switch node.kind {
        case .null: return .null
        case .yes: return .bool(true)
        case .no: return .bool(false)
        case .integer: return .integer(node.content)
        case .number: return .number(Double(bitPattern: UInt64(bitPattern: node.content)))
        case .text, .escapedText: return .string(text(place))
        case .array:
            var elements: [JSON] = []
            elements.reserveCapacity(Int(node.count))
            var next = place + 1
            while next < node.next {
                elements.append(json(next))
                next = nodes[next].next
            }
            return .array(elements)
        case .object:
            var members = [String: JSON](minimumCapacity: Int(node.count))
            forEachMember(of: place) { name in members[text(name)] = json(name + 1) }
            return .object(members)
        }
    }

    /// Calls `body` with the index of each name; its value is at the next index.
    func forEachMember(of place: Int, _ body: (Int) -> Void) {
        var name = place + 1
        while name < nodes[place].next {
            body(name)
            name = nodes[name + 1].next
        }
    }

    /// Returns the index of the member's value.
    func member(_ name: String, of place: Int) -> Int? {
        guard nodes[place].kind == .object else { return nil }
        var candidate = place + 1
        while candidate < nodes[place].next {
            if isName(candidate, name) { return candidate + 1 }
            candidate = nodes[candidate + 1].next
        }
        return nil
    }

    /// Whether the name at `place` equals `name`, by Swift's comparison of strings.
    @inline(__always)
    func isName(_ place: Int, _ name: String) -> Bool {
        let node = nodes[place]
        guard isASCII, node.kind == .text else { return text(place) == name }
        // Most names differ in length already.
        return node.end - Int(node.content) == name.utf8.count && isSpelled(node, name)
    }

    private func isSpelled(_ node: Node, _ name: String) -> Bool {
        var name = name
        return name.withUTF8 { name in
            bytes.withUnsafeBufferPointer { bytes in
                let start = Int(node.content)
                for index in name.indices where bytes[start + index] != name[index] { return false }
                return true
            }
        }
    }

    /// Returns the path to the value at `place`, such as `$.keys[2].n`.
    func path(to place: Int) -> String {
        var path = "$"
        var holder = 0
        while holder != place {
            let isObject = nodes[holder].kind == .object
            var count = 0
            var value = isObject ? holder + 2 : holder + 1
            while place >= nodes[value].next {
                value = isObject ? nodes[value].next + 1 : nodes[value].next
                count += 1
            }
            path += isObject ? ".\(text(value - 1))" : "[\(count)]"
            holder = value
        }
        return path
    }
}

extension JSONDocument: CustomReflectable {
    /// Empty, so that `dump` shows no content.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
