import BridgeSamples
import Latchkey
import LatchkeyMetrics
import LatchkeySwiftMetrics
import LatchkeyTesting
import Testing

/// One at a time, because the metrics system has one backend.
@Suite(.serialized) struct SwiftMetricsObserverTests {
    private let metrics = RecordingMetrics.shared

    init() { metrics.clear() }

    /// The samples of a Prometheus text, by name and labels.
    private func samples(_ text: String) -> [String: String] {
        var samples: [String: String] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " ") else { continue }
            samples[String(line[..<space])] = String(line[line.index(after: space)...])
        }
        return samples
    }

    @Test("every counter has the name, the labels and the count that MetricsObserver gives it, and there is no other")
    func counters() {
        let (bridge, own) = (SwiftMetricsObserver(), MetricsObserver())
        for observation in Samples.all + Samples.all {
            bridge.observe(observation)
            own.observe(observation)
        }
        let expected = samples(own.exposition()).filter { $0.key.contains("_total{") }
        #expect(metrics.state.counters.mapValues(String.init) == expected)
        #expect(expected.count == Samples.all.count)
    }

    @Test("every histogram is a timer of the same name and labels, with the same count and sum")
    func timers() {
        let (bridge, own) = (SwiftMetricsObserver(), MetricsObserver())
        for observation in Samples.all {
            bridge.observe(observation)
            own.observe(observation)
        }
        let expected = samples(own.exposition())
        let timers = metrics.state.timers
        #expect(timers.count == expected.keys.count { $0.contains("_seconds_count{") })
        for (name, values) in timers {
            #expect(expected[name.replacing("_seconds{", with: "_seconds_count{")] == "\(values.count)")
            let sum = Double(values.reduce(0, +)) / 1e9
            #expect(expected[name.replacing("_seconds{", with: "_seconds_sum{")].flatMap(Double.init) == sum)
        }
    }

    @Test("the gate is a gauge that says how it is now")
    func gate() {
        let observer = SwiftMetricsObserver()
        #expect(metrics.state.gauges.isEmpty)
        for locked in [true, false, true] { observer.observe(.gate(locked: locked)) }
        #expect(metrics.state.gauges == ["latchkey_gate_locked": 1])
    }

    @Test("a metric is made once, however often it is used")
    func made() {
        let observer = SwiftMetricsObserver()
        for _ in 1...100 { observer.observe(.refresh("notes", .refreshed, took: .zero)) }
        #expect(metrics.state.made == 2)
    }

    @Test("no label gets more values than the bounds allow, however many names come from outside")
    func bounded() {
        let observer = SwiftMetricsObserver()
        for number in 0..<1_000 {
            observer.observe(
                .request(method: "M\(number)", origin: "https://\(number).example.com", status: number, took: .zero))
            observer.observe(.signInRequired(ProviderID("p\(number)"), .expired))
            observer.observe(.pins(host: "\(number).example.com", .refused, seen: nil))
        }
        let names = metrics.state.counters.keys
        #expect(names.count { $0.hasPrefix("latchkey_sign_ins_required_total") } == 65)
        #expect(names.count { $0.hasPrefix("latchkey_pin_failures_total") } == 65)
        #expect(names.filter { $0.hasPrefix("latchkey_requests_total") }.allSatisfy { $0.contains("method=\"other\"") })
    }

    @Test("a duration that is negative counts as zero, and one of ages as the longest")
    func durations() {
        let observer = SwiftMetricsObserver()
        for took in [Duration.seconds(-1), .seconds(10_000_000_000_000)] {
            observer.observe(.refresh("notes", .busy, took: took))
        }
        #expect(metrics.state.timers.values.first == [0, 9_000_000_000_000_000_000])
    }

    @Test("the bridge keeps the contract of observers")
    func contract() async throws { try await ObserverContract { SwiftMetricsObserver() }.run() }

    @Test("no name and no label holds a secret, an address beyond its origin, or who the person is")
    func canary() async throws {
        try await Life.run(SwiftMetricsObserver())
        let text = metrics.state.counters.keys.joined() + metrics.state.timers.keys.joined()
        for name in ["refusals", "sign_ins_required", "reauthentications", "first_tokens", "store_failures", "unlocks"]
        {
            #expect(text.contains("latchkey_\(name)_total"), "the observer was not heard: \(name)")
        }
        #expect(Life.secrets.filter(text.contains).map(\.utf8.count).isEmpty)
    }
}
