/// Times in the format of RFC 3339.
enum RFC3339 {
    /// Formats a time: `2026-01-05T10:00:00.1Z`, with up to six digits of a second, without zeros at the end.
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

    /// Parses seconds since 1970; `nil` if the text is not a time with a zone.
    static func seconds(_ text: String) -> Double? {
        guard
            let match = text.wholeMatch(
                of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,9})?(?:Z|([+-])(\d\d):(\d\d))/),
            let year = Int(match.1), let month = Int(match.2), let day = Int(match.3), let hour = Int(match.4),
            let minute = Int(match.5), let second = Int(match.6), (1...12).contains(month), (1...31).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        // Count years from March, so that the leap day is the last day of a year.
        let (shifted, since) = (month > 2 ? year : year - 1, (month + 9) % 12)
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + (153 * since + 2) / 5 + day - 1
        let local = (days - 719_468) * 86_400 + hour * 3_600 + minute * 60 + second
        let ahead = (match.9.flatMap { Int($0) } ?? 0) * 3_600 + (match.10.flatMap { Int($0) } ?? 0) * 60
        let fraction = match.7.flatMap { Double("0\($0)") } ?? 0
        return Double(match.8 == "-" ? local + ahead : local - ahead) + fraction
    }
}
