/// Makes a service's text safe to show, because a terminal obeys control characters.
enum CleanText {
    /// Returns `text` with every control character, escape, line break and direction mark replaced by `�`, cut
    /// after `limit` scalars.
    static func clean(_ text: String, limit: Int = 200) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) { result.append(isPlain(scalar) ? scalar : "\u{FFFD}") }
        return String(result) + (text.unicodeScalars.count > limit ? "…" : "")
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
