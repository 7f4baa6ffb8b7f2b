import LatchkeyJSON

/// A text in place of a secret. If an input contains it, it must not appear in an error or a description.
///
/// It has a `!`, so that it is not a plain name: errors may show the names of members, but never their values.
enum Canary {
    static let text = "zq7!canary"
    /// The longest text of an error, which may name a place 64 levels deep.
    private static let longestError = 8_192

    /// Returns the document with the canary in front of each text in it, except for members with one of `names`.
    static func mark(_ json: JSON, except names: Set<String> = []) -> JSON {
        switch json {
        case .string(let content): return .string(text + content)
        case .array(let elements): return .array(elements.map { mark($0, except: names) })
        case .object(var members):
            for (name, value) in members where !names.contains(name) { members[name] = mark(value, except: names) }
            return .object(members)
        default: return json
        }
    }

    /// Whether `bytes` contain the canary unchanged, so that it is worth looking for it.
    static func isIn(_ bytes: [UInt8]) -> Bool { Bytes.contains(bytes, Array(text.utf8)) }

    /// Checks that neither the text of `value` nor its mirror shows the canary.
    static func demandHidden(_ value: some Any) throws(Disagreement) {
        var shown = String(describing: value)
        try demand(!contains(shown), "\(type(of: value)) shows a secret in its description")
        try demand(shown.utf8.count <= longestError, "\(type(of: value)) describes itself in \(shown.utf8.count) bytes")
        shown = String(reflecting: value)
        try demand(!contains(shown), "\(type(of: value)) shows a secret when it is reflected")
    }

    /// Returns the result of `body`, or `nil` if it throws. Checks that the error is a `Failure` and shows nothing.
    static func outcome<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Disagreement) -> Result<Value, Failure> {
        let failure: Failure
        do throws(Failure) {
            return .success(try body())
        } catch {
            failure = error
        }
        try demandHidden(failure)
        return .failure(failure)
    }

    private static func contains(_ shown: String) -> Bool {
        let shown = Bytes.lowercased(shown.utf8)
        return spellings.contains { Bytes.contains(shown, $0) }
    }

    private static let spellings = [text, "zq7%21canary", "zq7\\u{21}canary"].map { Array($0.utf8) }
}

/// Searches bytes in bytes, without using a library under test.
enum Bytes {
    static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first, bytes.count >= part.count else { return part.isEmpty }
        for start in 0...(bytes.count - part.count) where bytes[start] == first {
            if bytes[start..<(start + part.count)].elementsEqual(part) { return true }
        }
        return false
    }

    /// Returns the bytes with A to Z in lower case.
    static func lowercased(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}
