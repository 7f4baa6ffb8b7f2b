/// What a module says to people, by keys that stay: a plugin has a table of its own, and a test that ``gaps`` is empty.
///
/// ```swift
/// let texts = TextTable(["code": [.english: "Code sent to {address}: ", .french: "Code envoyé à {address} : "]])
/// texts.text("code", in: .french, ["address": address])
/// ```
public struct TextTable: Sendable {
    private let texts: [String: [TextLanguage: String]]

    /// A table. Words in braces are places for values: `{address}`.
    public init(_ texts: [String: [TextLanguage: String]]) { self.texts = texts }

    /// The keys, sorted.
    public var keys: [String] { texts.keys.sorted() }

    /// The text under `key`, in English where the language lacks it; the key itself where nobody has it.
    ///
    /// - Parameter values: What stands in its places. What comes from outside has to be cleaned before.
    public func text(_ key: String, in language: TextLanguage, _ values: [String: String] = [:]) -> String {
        guard let found = texts[key]?[language] ?? texts[key]?[.english] else { return key }
        guard !values.isEmpty else { return found }
        var text = ""
        var rest = found[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = rest[rest.index(after: open)..<close]
            text += rest[..<open]
            // In one pass, so that a value with braces stays what it is.
            text += values[String(name)] ?? String(rest[open...close])
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }

    /// What is missing: a language that lacks a key, or has other places than English. Empty in a table that is whole.
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

    private static func places(in text: String) -> Set<Substring> {
        Set(
            text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap {
                $0.split(separator: "}").first
            })
    }
}
