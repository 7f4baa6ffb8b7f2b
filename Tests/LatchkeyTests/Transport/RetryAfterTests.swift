import FoundationEssentials
import Latchkey
import Testing

@Suite struct RetryAfterTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var fields: HeaderFields
        var wait: Duration?

        init(_ name: String, _ fields: HeaderFields, _ wait: Duration?) {
            (testDescription, self.fields, self.wait) = (name, fields, wait)
        }
    }

    /// 20 November 2026, 12:00:00 UTC.
    private static let noon = Date(timeIntervalSince1970: 1_795_176_000)

    @Test(
        "a wait is a number or a date, never negative and at most a day",
        arguments: [
            Row("absent", [:], nil), Row("a number", ["Retry-After": "120"], .seconds(120)),
            Row("zero", ["Retry-After": "0"], .zero),
            Row("huge", ["Retry-After": "99999999999999999999"], RetryAfter.longest),
            Row("negative", ["Retry-After": "-5"], nil), Row("a fraction", ["Retry-After": "1.5"], nil),
            Row("empty", ["Retry-After": ""], nil), Row("words", ["Retry-After": "soon"], nil),
            Row("a date ahead", ["Retry-After": "Fri, 20 Nov 2026 12:00:30 GMT"], .seconds(30)),
            Row("a date gone by", ["Retry-After": "Fri, 20 Nov 2026 11:00:30 GMT"], .zero),
            Row("a far date", ["Retry-After": "Fri, 20 Nov 2099 11:00:30 GMT"], RetryAfter.longest),
            Row(
                "a date by the service's clock",
                ["Retry-After": "Fri, 20 Nov 2026 15:00:30 GMT", "Date": "Fri, 20 Nov 2026 15:00:00 GMT"], .seconds(30)),
        ])
    func waits(row: Row) { #expect(RetryAfter.read(row.fields, now: Self.noon) == row.wait) }
}
