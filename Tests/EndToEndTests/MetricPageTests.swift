import Latchkey
import Testing

@Suite("The page of metrics says what is so")
struct MetricPageTests {
    /// The part of `Documentation/Start/Observing.md` that lists what there is.
    private static func tables() throws -> Substring {
        let page = try Repository.text("Documentation/Start/Observing.md")
        let begin = try #require(page.firstRange(of: "## The metrics")).upperBound
        let end = try #require(page.firstRange(of: "## What the times")).lowerBound
        return page[begin..<end]
    }

    private static func metrics(in text: Substring) -> Set<String> {
        Set(text.matches(of: /latchkey_[a-z_]+/).map { String($0.0) })
    }

    @Test("It and the observer's documentation name every counter, histogram and gauge, and no other")
    func names() throws {
        let code = try Self.metrics(in: Repository.text("Plugins/Observers/LatchkeyMetrics/PrometheusText.swift")[...])
        #expect(code.count == 31)
        #expect(try Self.metrics(in: Self.tables()) == code)
        #expect(
            try Self.metrics(in: Repository.text("Plugins/Observers/LatchkeyMetrics/MetricsObserver.swift")[...])
                == code)
    }

    @Test("It has a bound for every label, and no other label")
    func labels() throws {
        let code = try Repository.text("Plugins/Observers/LatchkeyMetrics/PrometheusText.swift")
        let labels = Set(code.matches(of: /\("([a-z_]+)", [a-z]/).map { String($0.1) })
        let page = try Self.tables()
        let begin = try #require(page.firstRange(of: "| Label |")).upperBound
        let end = try #require(page.firstRange(of: "The buckets")).lowerBound
        let cells = page[begin..<end].split(separator: "\n").dropFirst(2).map { $0.dropFirst().prefix { $0 != "|" } }
        let named = cells.flatMap { $0.matches(of: /`([a-z_]+)`/).map { String($0.1) } }
        #expect(labels.count > 10)
        #expect(Set(named) == labels)
    }

    @Test("It explains every cause of a refusal", arguments: AuthObservation.RefusalCause.allCases)
    func causes(cause: AuthObservation.RefusalCause) throws {
        #expect(try Self.tables().contains("\n| `\(cause.rawValue)` |"))
    }
}
