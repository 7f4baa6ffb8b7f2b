public import FoundationEssentials

/// Dates in header fields ([RFC 9110, section 5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7)).
public enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// Reads the preferred form and both obsolete ones: `Sun, 06 Nov 1994 08:49:37 GMT`,
    /// `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`. The name of the day is not checked.
    ///
    /// - Parameters:
    ///   - text: The field's value.
    ///   - now: Decides the century of a two-digit year: never more than 50 years ahead.
    public static func read(_ text: String, now: Date) -> Date? {
        guard text.utf8.count <= 64 else { return nil }
        var parts = text.split(separator: " ").map(String.init)
        if parts.count == 5, let first = parts.first, !first.hasSuffix(",") {
            return date(day: parts[2], month: parts[1], year: parts[4], time: parts[3])
        }
        if parts.count == 4 {
            let day = parts[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            parts.replaceSubrange(1...1, with: day)
        }
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT" else { return nil }
        if parts[3].utf8.count == 2 {
            guard let short = number(parts[3], 0...99) else { return nil }
            let thisYear = year(of: now)
            var full = thisYear - thisYear % 100 + short
            if full > thisYear + 50 { full -= 100 }
            parts[3] = String(full)
        }
        return date(day: parts[1], month: parts[2], year: parts[3], time: parts[4])
    }

    /// Writes the preferred form; fractions of a second are dropped.
    public static func text(_ date: Date) -> String {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let day = (seconds - modulo(seconds, 86_400)) / 86_400
        let rest = modulo(seconds, 86_400)
        let (year, month, dayOfMonth) = civil(day)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(days[modulo(day, 7)]), \(two(dayOfMonth)) \(months[month - 1]) \(year) "
            + "\(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
    }

    private static func date(day: String, month: String, year: String, time: String) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard year.utf8.count == 4, let year = number(year, 1_583...9_999), clock.count == 3,
            let month = months.firstIndex(of: month), let day = number(day, 1...31),
            let hour = number(clock[0], 0...23), let minute = number(clock[1], 0...59),
            let second = number(clock[2], 0...60)
        else { return nil }
        let ordinal = ordinal(year, month + 1, day)
        guard civil(ordinal) == (year, month + 1, day) else { return nil }
        let seconds = ordinal * 86_400 + hour * 3_600 + minute * 60 + second
        // A leap second at the end of 9999 would have a five-digit year, which no form can express.
        guard seconds < 253_402_300_800 else { return nil }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static func number(_ digits: String, _ range: ClosedRange<Int>) -> Int? {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits), range.contains(number)
        else { return nil }
        return number
    }

    private static func year(of date: Date) -> Int { civil(Int(date.timeIntervalSince1970 / 86_400)).year }

    private static func modulo(_ number: Int, _ divisor: Int) -> Int { (number % divisor + divisor) % divisor }

    /// The number of a day, counted from 1 January 1970. Years begin in March here, so that leap days come last.
    private static func ordinal(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }

    /// The date of a day's number, for days from the year 0 on.
    private static func civil(_ ordinal: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = ordinal + 719_468
        let dayOfEra = modulo(shifted, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + (shifted - dayOfEra) / 146_097 * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
