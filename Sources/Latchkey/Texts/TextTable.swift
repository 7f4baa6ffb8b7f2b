/// A module's texts for people, under stable keys. Give each plugin its own table, and test that its ``gaps`` are empty.
///
/// ```swift
/// let texts = TextTable(["code": [.english: "Code sent to {address}: ", .french: "Code envoyé à {address} : "]])
/// texts.text("code", in: .french, ["address": address])
/// ```
public struct TextTable: Sendable {
    private let texts: [String: [TextLanguage: String]]

    /// Creates a table. Words in braces are placeholders: `{address}`. One with two forms is a number and
    /// what is counted: `{count:line|lines}` becomes `1 line` and `2 lines`.
    public init(_ texts: [String: [TextLanguage: String]]) { self.texts = texts }

    /// The keys, sorted.
    public var keys: [String] { texts.keys.sorted() }

    /// Returns the text under `key`. Falls back to English if the language lacks it, and to the key
    /// itself if there is no text.
    ///
    /// - Parameters:
    ///   - key: The key of the text.
    ///   - language: The language to look in first.
    ///   - values: The values of the placeholders. Sanitize values that come from outside first.
    public func text(_ key: String, in language: TextLanguage, _ values: [String: String] = [:]) -> String {
        guard let found = texts[key]?[language] ?? texts[key]?[.english] else { return key }
        guard !values.isEmpty else { return found }
        var text = ""
        var rest = found[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = rest[rest.index(after: open)..<close]
            text += rest[..<open]
            // In one pass, so that braces in a value are left alone.
            text += Self.filled(name, language, values) ?? String(rest[open...close])
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }

    /// What is missing: languages that lack a key, or have other placeholders than English. Empty
    /// if the table is complete.
    public var gaps: [String] {
        keys.flatMap { key in
            TextLanguage.allCases.compactMap { language -> String? in
                guard let text = texts[key]?[language] else { return "\(key): no \(language)" }
                guard let english = texts[key]?[.english], Self.places(in: text) == Self.places(in: english) else {
                    return "\(key): other places in \(language)"
                }
                return nil
            }
        }
    }

    private static func filled(
        _ placeholder: Substring, _ language: TextLanguage, _ values: [String: String]
    ) -> String? {
        let parts = placeholder.split(separator: ":", maxSplits: 1)
        guard let name = parts.first, let value = values[String(name)] else { return nil }
        guard parts.count == 2, let bar = parts[1].firstIndex(of: "|") else { return value }
        let isOne = language.countsAsOne(Int(value) ?? 2)
        return "\(value) \(isOne ? parts[1][..<bar] : parts[1][parts[1].index(after: bar)...])"
    }

    private static func places(in text: String) -> Set<Substring> {
        Set(
            text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap {
                $0.split(separator: "}").first?.split(separator: ":").first
            })
    }
}

extension TextLanguage {
    /// Whether a word for `count` things is in its singular: in French also for none.
    fileprivate func countsAsOne(_ count: Int) -> Bool { self == .french ? abs(count) < 2 : count == 1 }
}
