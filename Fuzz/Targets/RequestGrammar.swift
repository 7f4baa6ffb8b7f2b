/// A second reader of request heads: RFC 9112, sections 2.2, 3 and 5, written over bytes and with nothing in common with the
/// server's.
struct RequestGrammar {
    var method = ""
    var target = ""
    var fields: [(name: String, value: String)] = []

    /// Reads the first request; `nil` if its head is not whole, or not as the grammar says.
    static func read(_ bytes: [UInt8]) -> RequestGrammar? {
        var lines: [[UInt8]] = []
        // Empty lines before a request are passed over (section 2.2), and the daemon takes any line end for one there.
        let bytes = Array(bytes.drop { $0 == 0x0D || $0 == 0x0A })
        var (line, index) = ([UInt8](), 0)
        var isOver = false
        while index < bytes.count {
            if bytes[index] == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A {
                index += 2
                if line.isEmpty {
                    isOver = true
                    break
                }
                lines.append(line)
                line = []
                continue
            }
            line.append(bytes[index])
            index += 1
        }
        guard isOver, let first = lines.first else { return nil }
        var request = RequestGrammar()
        let words = first.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(isToken), !words[1].isEmpty,
            words[1].allSatisfy({ (0x21...0x7E).contains($0) }),
            words[2].count == 8, words[2].starts(with: Array("HTTP/1.".utf8)),
            (0x30...0x39).contains(words[2][words[2].startIndex + 7])
        else { return nil }
        request.method = String(decoding: words[0], as: UTF8.self)
        request.target = String(decoding: words[1], as: UTF8.self)
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: 0x3A), colon > 0, line[..<colon].allSatisfy(isToken) else {
                return nil
            }
            var value = line[(colon + 1)...]
            while let byte = value.first, isSpace(byte) { value.removeFirst() }
            while let byte = value.last, isSpace(byte) { value.removeLast() }
            guard value.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }),
                let text = String(validating: value, as: UTF8.self)
            else { return nil }
            request.fields.append((String(decoding: line[..<colon], as: UTF8.self), text))
        }
        return request
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isToken(_ byte: UInt8) -> Bool {
        let isLetter = (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        return isLetter || (0x30...0x39).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    private func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Whether nothing in it gives a server reason to refuse it.
    var isPlain: Bool {
        method == "GET" && target == "/" && values("host").count == 1 && !values("host")[0].isEmpty && fields.count < 20
            && ["expect", "upgrade", "connection", "cookie"].allSatisfy { values($0).isEmpty }
    }

    /// Whether a NUL stands in the place of a carriage return, or a line begins with its colon or a NUL and one ends with a line feed alone: the daemon's end of such a head
    /// cannot be told from the right one.
    static func hasHiddenEnd(_ bytes: [UInt8]) -> Bool {
        let pairs = zip([0x0A] + bytes, bytes)
        let isForged = pairs.contains { $0 == 0 && $1 == 0x0A }
        let begins = pairs.contains { ($0 == 0x0A || $0 == 0x0D || $0 == 0) && ($1 == 0x3A || $1 == 0) }
        return isForged || begins && pairs.contains { $0 != 0x0D && $1 == 0x0A }
    }

    /// Whether a body may follow, for which the server would wait. The daemon writes its own refusal of a wrong length twice,
    /// and ends the connection.
    static func hasBody(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        return text.contains("content-length") || text.contains("transfer-encoding")
    }
}
