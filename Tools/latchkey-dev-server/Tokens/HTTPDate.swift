/// Formats times as in the `Date` field (RFC 9110 section 5.6.7).
enum HTTPDate {
    /// Formats seconds since 1970 as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func string(_ seconds: Int64) -> String {
        let (days, second) = seconds.quotientAndFloorRemainder(86_400)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(days.quotientAndFloorRemainder(7).1)]
        let (year, month, day) = civil(days)
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let time = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
        return "\(weekday), \(two(day)) \(names[Int(month) - 1]) \(year) \(time) GMT"
    }

    /// Formats seconds since 1970 as `1994-11-06` and `08:49:37`.
    static func parts(_ seconds: Int64) -> (date: String, clock: String) {
        let (days, second) = seconds.quotientAndFloorRemainder(86_400)
        let (year, month, day) = civil(days)
        return (
            "\(year)-\(two(month))-\(two(day))",
            "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
        )
    }

    /// Returns the date of a number of days since 1970, in the proleptic Gregorian calendar. Years begin in March
    /// here, so that the leap day comes last.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).quotientAndFloorRemainder(146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : String(value) }
}

extension Int64 {
    /// Returns the quotient and a remainder that is never negative.
    fileprivate func quotientAndFloorRemainder(_ divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
