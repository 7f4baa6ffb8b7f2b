/// Reads one text out of a document that is broken elsewhere: cut short, with a member twice, with bytes that are no UTF-8.
///
/// Use it for what must not be lost with the rest of a document, and for nothing that decides. A text is taken only if it
/// ends within the document and has no escapes. If the member stands there several times, the last one counts, as in
/// most readers.
package enum SalvagedText {
    /// Returns the token at `path`: visible ASCII. In a document that is whole it may be written with escapes.
    package static func token(at path: [String], in document: [UInt8]) -> [UInt8]? {
        var value = try? JSON.parse(document)
        for name in path { value = value?[name] }
        let text = value?.string.map { Array($0.utf8) } ?? find(path, in: document) ?? []
        return !text.isEmpty && text.allSatisfy { (0x21...0x7E).contains($0) } ? text : nil
    }

    /// Returns the bytes of the text at `path`, a chain of member names from the document's object down.
    package static func find(_ path: [String], in document: [UInt8]) -> [UInt8]? {
        let wanted = path.map { Array($0.utf8) }
        var scan = Scan(bytes: document)
        var names: [[UInt8]] = []
        var found: [UInt8]?
        var last: [UInt8]?
        while let mark = scan.next() {
            switch mark {
            case .text(let text):
                last = text
            case .colon:
                guard let name = last, !names.isEmpty else { return found }
                names[names.count - 1] = name
                last = nil
            case .open:
                names.append([])
                last = nil
                guard names.count <= 64 else { return found }
            case .comma, .close:
                if let text = last, names == wanted { found = text }
                last = nil
                if case .close = mark, names.popLast() == nil { return found }
            }
        }
        // The document ends behind the text, without what should follow it.
        if let text = last, names == wanted { found = text }
        return found
    }

    private enum Mark { case text([UInt8]), colon, comma, open, close }

    private struct Scan {
        let bytes: [UInt8]
        var at = 0

        /// Returns the next mark; `nil` at the end, or in a text that does not end.
        mutating func next() -> Mark? {
            while at < bytes.count {
                let byte = bytes[at]
                at += 1
                switch byte {
                case UInt8(ascii: "\""): return text()
                case UInt8(ascii: ":"): return .colon
                case UInt8(ascii: ","): return .comma
                case UInt8(ascii: "{"), UInt8(ascii: "["): return .open
                case UInt8(ascii: "}"), UInt8(ascii: "]"): return .close
                default: continue
                }
            }
            return nil
        }

        /// A text with an escape counts as an empty one, which is no token.
        private mutating func text() -> Mark? {
            let start = at
            var hasEscape = false
            while at < bytes.count {
                switch bytes[at] {
                case UInt8(ascii: "\\"):
                    hasEscape = true
                    at += 2
                case UInt8(ascii: "\""):
                    at += 1
                    return .text(hasEscape ? [] : Array(bytes[start..<at - 1]))
                default: at += 1
                }
            }
            return nil
        }
    }
}
