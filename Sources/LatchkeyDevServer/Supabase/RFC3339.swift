/// Writes times as RFC 3339 does.
enum RFC3339 {
    /// `2026-01-05T10:00:00.1Z`, with up to six digits of a second, none at its end a zero.
    static func string(_ time: Double) -> String {
        let micros = Int64((time * 1e6).rounded())
        let seconds = micros >= 0 ? micros / 1_000_000 : (micros - 999_999) / 1_000_000
        let (date, clock) = HTTPDate.parts(seconds)
        var text = "\(date)T\(clock)"
        var fraction = String(1_000_000 + micros - seconds * 1_000_000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        if !fraction.isEmpty { text += ".\(fraction)" }
        return text + "Z"
    }
}
