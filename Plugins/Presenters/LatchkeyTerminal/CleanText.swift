/// Makes a service's text safe to show: a terminal obeys what is written to it.
enum CleanText {
    /// `text` with every control character, escape, line break and direction mark replaced by `�`, and cut after
    /// `limit` scalars.
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
