/// Our own strict reader: bytes in, one value out, no recursion.
///
/// It checks in this order: size, UTF-8, then the grammar from left to right.
struct PortableReader {
    private var text: JSONScanner
    private var open: [Container] = []
    private let levels: Int

    /// Reads one document.
    static func parse(_ bytes: [UInt8], limits: JSONLimits) throws(JSONError) -> JSON {
        guard bytes.count <= limits.bytes else { throw JSONError(.tooLarge, at: "$") }
        let isASCII = !bytes.contains { $0 >= 0x80 }
        if !isASCII, let offset = bytes.firstInvalidUTF8 { throw JSONError(.encoding, at: "$", offset: offset) }
        var reader = PortableReader(text: JSONScanner(bytes, isASCII: isASCII), levels: limits.levels)
        return try reader.document()
    }

    private init(text: JSONScanner, levels: Int) {
        self.text = text
        self.levels = levels
    }

    private mutating func document() throws(JSONError) -> JSON {
        text.skipSpace()
        guard text.next == UInt8(ascii: "{") || text.next == UInt8(ascii: "[") else { throw text.error(.syntax) }
        var complete: JSON?
        while complete == nil {
            complete = try value()
            while let finished = complete, !open.isEmpty { complete = try add(finished) }
        }
        text.skipSpace()
        guard let complete, text.next == nil else { throw text.error(.trailing) }
        return complete
    }

    /// The value that starts here; `nil` when it is a container with content, which is open now.
    private mutating func value() throws(JSONError) -> JSON? {
        text.skipSpace()
        switch text.next {
        case UInt8(ascii: "{"): return try openContainer(isObject: true, end: UInt8(ascii: "}"))
        case UInt8(ascii: "["): return try openContainer(isObject: false, end: UInt8(ascii: "]"))
        case UInt8(ascii: "\""): return .string(try text.string())
        case UInt8(ascii: "t"): return try text.literal("true", .bool(true))
        case UInt8(ascii: "f"): return try text.literal("false", .bool(false))
        case UInt8(ascii: "n"): return try text.literal("null", .null)
        default:
            let start = text.offset
            guard let number = try text.number() else { throw JSONError(.numberRange, at: path, offset: start) }
            return number
        }
    }

    private mutating func openContainer(isObject: Bool, end: UInt8) throws(JSONError) -> JSON? {
        guard open.count < levels else { throw JSONError(.tooDeep, at: path, offset: text.offset) }
        text.advance()
        text.skipSpace()
        if text.take(end) { return isObject ? .object([:]) : .array([]) }
        open.append(Container(isObject: isObject))
        if isObject { try memberName() }
        return nil
    }

    /// Puts `value` into the innermost container; returns that container when it ends here.
    private mutating func add(_ value: JSON) throws(JSONError) -> JSON? {
        let last = open.count - 1
        open[last].add(value)
        text.skipSpace()
        if text.take(UInt8(ascii: ",")) {
            if open[last].isObject { try memberName() }
            return nil
        }
        guard text.take(UInt8(ascii: open[last].isObject ? "}" : "]")) else { throw text.error(.syntax) }
        return open.removeLast().value
    }

    /// Reads the name of the next member, and the colon.
    private mutating func memberName() throws(JSONError) {
        text.skipSpace()
        let start = text.offset
        guard text.next == UInt8(ascii: "\"") else { throw text.error(.syntax) }
        let name = try text.string()
        let last = open.count - 1
        open[last].name = name
        guard open[last].members.index(forKey: name) == nil else {
            throw JSONError(.duplicateMember, at: path, offset: start)
        }
        text.skipSpace()
        guard text.take(UInt8(ascii: ":")) else { throw text.error(.syntax) }
    }

    private var path: String { open.reduce("$") { $0 + $1.step } }
}

/// An array or object whose end has not been read.
private struct Container {
    let isObject: Bool
    var name = ""
    var members: [String: JSON] = [:]
    var elements: [JSON] = []

    init(isObject: Bool) { self.isObject = isObject }

    var value: JSON { isObject ? .object(members) : .array(elements) }

    /// The way from the container to the value being read. A name comes from the document, so only one that looks
    /// like an identifier is shown.
    var step: String {
        guard isObject else { return "[\(elements.count)]" }
        let isPlain = (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(\.isPlain)
        return ".\(isPlain ? name : "?")"
    }

    mutating func add(_ value: JSON) {
        if isObject { members[name] = value } else { elements.append(value) }
    }
}

extension UInt8 {
    /// Whether this may stand in a name that an error shows.
    fileprivate var isPlain: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-")...UInt8(ascii: ":"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
