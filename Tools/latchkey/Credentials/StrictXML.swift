/// One element of a small XML document, such as an answer of AWS STS: its name, its text, the elements in it.
///
/// Reads only what such answers need. A document type, a comment, a section or an instruction inside the document is
/// refused, so that nothing can be expanded or fetched. Attributes are skipped.
struct StrictXML: Sendable {
    /// The most bytes of a document.
    static let limit = 65_536
    /// How many elements may be in one another.
    static let deepest = 16

    private(set) var name: String
    private(set) var text = ""
    private(set) var elements: [StrictXML] = []

    /// Returns the one element called `name`; `nil` if there is none, or more than one.
    subscript(name: String) -> StrictXML? {
        let found = elements.filter { $0.name == name }
        return found.count == 1 ? found[0] : nil
    }

    /// Reads a document; `nil` if it is not one that this reader takes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.limit, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var rest = Substring(text)
        // One byte order mark may stand before a document (XML 1.0, appendix F).
        if rest.unicodeScalars.first == "\u{FEFF}" { rest.unicodeScalars.removeFirst() }
        if rest.hasPrefix("<?xml ") {
            guard let end = rest.firstRange(of: "?>") else { return nil }
            rest = rest[end.upperBound...]
        }
        Self.skipBlanks(&rest)
        guard let root = Self.element(&rest, depth: 1) else { return nil }
        Self.skipBlanks(&rest)
        guard rest.isEmpty else { return nil }
        self = root
    }

    private init(name: String) { self.name = name }

    /// Reads one element from its `<` to behind its end.
    private static func element(_ rest: inout Substring, depth: Int) -> StrictXML? {
        guard depth <= deepest, rest.first == "<", let (name, isEmpty) = opening(&rest) else { return nil }
        var element = StrictXML(name: name)
        if isEmpty { return element }
        while true {
            let raw = rest.prefix { $0 != "<" }
            guard let text = decoded(raw) else { return nil }
            element.text += text
            rest = rest[raw.endIndex...]
            if rest.hasPrefix("</") {
                rest = rest.dropFirst(2)
                guard rest.hasPrefix(name) else { return nil }
                rest = rest.dropFirst(name.count)
                skipBlanks(&rest)
                guard rest.first == ">" else { return nil }
                rest = rest.dropFirst()
                return element
            }
            guard let inner = Self.element(&rest, depth: depth + 1) else { return nil }
            element.elements.append(inner)
        }
    }

    /// Reads the tag that begins an element.
    private static func opening(_ rest: inout Substring) -> (name: String, isEmpty: Bool)? {
        rest = rest.dropFirst()
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.:".contains($0)) }
        guard let first = name.first, first.isLetter || first == "_" else { return nil }
        rest = rest[name.endIndex...]
        var quote: Character?
        while let next = rest.popFirst() {
            if let open = quote {
                if next == open { quote = nil }
            } else if next == "\"" || next == "'" {
                quote = next
            } else if next == ">" {
                return (String(name), false)
            } else if next == "/", rest.first == ">" {
                rest = rest.dropFirst()
                return (String(name), true)
            } else if next == "<" {
                return nil
            }
        }
        return nil
    }

    /// Returns text with its references resolved; `nil` for one that is not of XML itself.
    private static func decoded(_ raw: Substring) -> String? {
        var (text, rest) = ("", raw)
        while let start = rest.firstIndex(of: "&") {
            guard let end = rest[start...].firstIndex(of: ";") else { return nil }
            text += rest[..<start]
            guard let character = character(rest[rest.index(after: start)..<end]) else { return nil }
            text.append(character)
            rest = rest[rest.index(after: end)...]
        }
        return text + rest
    }

    private static func character(_ reference: Substring) -> Character? {
        switch reference {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let number =
                reference.hasPrefix("#x")
                ? UInt32(reference.dropFirst(2), radix: 16)
                : reference.hasPrefix("#") ? UInt32(reference.dropFirst()) : nil
            return number.flatMap(Unicode.Scalar.init).flatMap { $0.value >= 0x20 || $0 == "\n" ? Character($0) : nil }
        }
    }

    private static func skipBlanks(_ rest: inout Substring) { rest = rest.drop { $0.isWhitespace } }
}
