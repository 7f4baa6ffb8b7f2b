/// The library's own strict reader: bytes in, one document out, without recursion.
///
/// It checks in this order: size, UTF-8, then the grammar from left to right.
struct PortableReader {
    private typealias Node = JSONDocument.Node

    private var text: JSONScanner
    private var nodes: [Node] = []
    private var open: [Container] = []
    private let levels: Int

    /// Reads one document.
    static func parse(_ bytes: [UInt8], limits: JSONLimits) throws(JSONError) -> JSONDocument {
        guard bytes.count <= limits.bytes else { throw JSONError(.tooLarge, at: "$") }
        let isASCII = bytes.withUnsafeBufferPointer(\.isASCII)
        if !isASCII, let offset = bytes.firstInvalidUTF8 { throw JSONError(.encoding, at: "$", offset: offset) }
        var reader = PortableReader(
            text: JSONScanner(bytes, isASCII: isASCII, at: bytes.startOfJSON), levels: limits.levels)
        try reader.document()
        return JSONDocument(bytes, isASCII: isASCII, reader.nodes)
    }

    private init(text: JSONScanner, levels: Int) {
        self.text = text
        self.levels = levels
    }

    private mutating func document() throws(JSONError) {
        text.skipSpace()
        guard text.next == UInt8(ascii: "{") || text.next == UInt8(ascii: "[") else { throw text.error(.syntax) }
        var isComplete = false
        while !isComplete {
            isComplete = try value()
            while isComplete, !open.isEmpty { isComplete = try goOn() }
        }
        text.skipSpace()
        guard text.next == nil else { throw text.error(.trailing) }
    }

    /// Skips the value that starts here, or enters it if it is a container with content.
    ///
    /// - Returns: Whether the value is complete.
    private mutating func value() throws(JSONError) -> Bool {
        text.skipSpace()
        switch text.next {
        case UInt8(ascii: "{"): return try openContainer(.object, end: UInt8(ascii: "}"))
        case UInt8(ascii: "["): return try openContainer(.array, end: UInt8(ascii: "]"))
        case UInt8(ascii: "\""): add(try text.span())
        case UInt8(ascii: "t"):
            try text.literal("true")
            add(.yes)
        case UInt8(ascii: "f"):
            try text.literal("false")
            add(.no)
        case UInt8(ascii: "n"):
            try text.literal("null")
            add(.null)
        default:
            let start = text.offset
            switch try text.number() {
            case .integer(let value): add(.integer, value)
            case .number(let value): add(.number, Int64(bitPattern: value.bitPattern))
            case nil: throw JSONError(.numberRange, at: path, offset: start)
            }
        }
        return true
    }

    private mutating func add(_ kind: Node.Kind, _ content: Int64 = 0) {
        nodes.append(Node(kind: kind, content: content, next: nodes.count + 1))
    }

    private mutating func add(_ span: JSONScanner.Span) {
        nodes.append(
            Node(
                kind: span.isPlain ? .text : .escapedText, content: Int64(span.start), end: span.end,
                next: nodes.count + 1))
    }

    private mutating func openContainer(_ kind: Node.Kind, end: UInt8) throws(JSONError) -> Bool {
        guard open.count < levels else { throw JSONError(.tooDeep, at: path, offset: text.offset) }
        let start = text.offset
        text.advance()
        text.skipSpace()
        let isEmpty = text.take(end)
        if !isEmpty { open.append(Container(node: nodes.count, isObject: kind == .object)) }
        nodes.append(Node(kind: kind, content: Int64(start), end: text.offset, next: nodes.count + 1))
        if !isEmpty, kind == .object { try memberName() }
        return isEmpty
    }

    /// Continues after a complete value in the innermost container: with the next value, or past
    /// the container's end.
    ///
    /// - Returns: Whether the container is complete.
    private mutating func goOn() throws(JSONError) -> Bool {
        let last = open.count - 1
        open[last].count += 1
        text.skipSpace()
        if text.take(UInt8(ascii: ",")) {
            if open[last].isObject { try memberName() }
            return false
        }
        guard text.take(UInt8(ascii: open[last].isObject ? "}" : "]")) else { throw text.error(.syntax) }
        let container = open.removeLast()
        nodes[container.node].count = UInt32(clamping: container.count)
        nodes[container.node].end = text.offset
        nodes[container.node].next = nodes.count
        return true
    }

    /// Reads the name of the next member and the colon.
    private mutating func memberName() throws(JSONError) {
        text.skipSpace()
        let start = text.offset
        guard text.next == UInt8(ascii: "\"") else { throw text.error(.syntax) }
        open[open.count - 1].name = nodes.count
        add(try text.span())
        guard isNew() else { throw JSONError(.duplicateMember, at: path, offset: start) }
        text.skipSpace()
        guard text.take(UInt8(ascii: ":")) else { throw text.error(.syntax) }
    }

    /// Whether the last name differs from those before it in its object.
    private mutating func isNew() -> Bool {
        let last = open.count - 1
        let name = open[last].name
        if open[last].names == nil {
            // A few plain names are compared byte by byte, which gives the same result as comparing strings.
            var isPlain = text.isASCII && nodes[name].kind == .text && open[last].count < 16
            var former = open[last].node + 1
            while isPlain, former < name {
                isPlain = nodes[former].kind == .text
                if isPlain, text.isSame(span(former), span(name)) { return false }
                former = nodes[former + 1].next
            }
            if isPlain { return true }
            var names: Set<String> = []
            former = open[last].node + 1
            while former < name {
                names.insert(text.text(span(former)))
                former = nodes[former + 1].next
            }
            open[last].names = names
        }
        let added = text.text(span(name))
        return open[last].names?.insert(added).inserted ?? true
    }

    private func span(_ place: Int) -> JSONScanner.Span {
        let node = nodes[place]
        return JSONScanner.Span(start: Int(node.content), end: node.end, isPlain: node.kind == .text)
    }

    /// The path to the value being read. A name comes from the document, so it is shown only if it
    /// looks like an identifier.
    private var path: String {
        open.reduce("$") { path, container in
            guard container.isObject else { return path + "[\(container.count)]" }
            let name = text.text(span(container.name))
            let isPlain = (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(\.isPlain)
            return path + ".\(isPlain ? name : "?")"
        }
    }
}

/// An array or object whose end has not been read yet.
private struct Container {
    /// Its own index, and that of the last name in it.
    let node: Int
    let isObject: Bool
    var name = 0
    /// The number of complete values.
    var count = 0
    /// The names so far, if they are many or not plain.
    var names: Set<String>?
}

extension UInt8 {
    /// Whether this character may be part of a name that an error shows.
    fileprivate var isPlain: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-")...UInt8(ascii: ":"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
