public import FoundationEssentials

/// Dates in header fields (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
public enum HTTPTimestamp {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The instant that `text` names in the preferred form; `nil` for anything else.
    public static func date(_ text: String) -> Date? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[5] == "GMT", parts[0].last == ",",
            let month = months.firstIndex(of: String(parts[2])), parts[1].utf8.count == 2, parts[3].utf8.count == 4,
            let day = number(parts[1]), let year = number(parts[3])
        else { return nil }
        let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard time.count == 3, time.allSatisfy({ $0.utf8.count == 2 }), let hour = number(time[0]),
            let minute = number(time[1]), let second = number(time[2]), (1...31).contains(day), hour < 24,
            minute < 60, second <= 60, year >= 1970
        else { return nil }
        let seconds = days(year: year, month: month + 1, day: day) * 86_400 + hour * 3_600 + minute * 60 + second
        return Date(timeIntervalSince1970: Double(seconds))
    }

    /// Days since 1970-01-01 in the Gregorian calendar.
    static func days(year: Int, month: Int, day: Int) -> Int {
        // Years begin in March here, so that the leap day comes last.
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    private static func number(_ digits: Substring) -> Int? {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(digits)
    }
}
