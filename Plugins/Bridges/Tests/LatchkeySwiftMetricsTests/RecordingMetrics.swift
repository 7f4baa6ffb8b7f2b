import Metrics
import Synchronization

/// A backend that keeps what it is given. The metrics system takes one backend for a whole process.
final class RecordingMetrics: MetricsFactory {
    struct State: Sendable {
        var counters: [String: Int64] = [:]
        var timers: [String: [Int64]] = [:]
        var gauges: [String: Int64] = [:]
        /// How many metrics were made.
        var made = 0
    }

    static let shared: RecordingMetrics = {
        let metrics = RecordingMetrics()
        MetricsSystem.bootstrap(metrics)
        return metrics
    }()

    private let kept = Mutex(State())

    var state: State { kept.withLock { $0 } }

    /// Forgets everything.
    func clear() { kept.withLock { $0 = State() } }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        handler(label, dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        handler(aggregate ? "no gauge: \(label)" : label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { handler(label, dimensions) }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
        kept.withLock { $0.made += 1 }
        let labels = dimensions.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        return Handler(name: labels.isEmpty ? label : "\(label){\(labels)}", metrics: self)
    }

    private final class Handler: CounterHandler, RecorderHandler, TimerHandler {
        let name: String
        let metrics: RecordingMetrics

        init(name: String, metrics: RecordingMetrics) {
            self.name = name
            self.metrics = metrics
        }

        func increment(by amount: Int64) { metrics.kept.withLock { $0.counters[name, default: 0] += amount } }
        func reset() {}
        func record(_ value: Int64) { metrics.kept.withLock { $0.gauges[name] = value } }
        func record(_ value: Double) {}
        func recordNanoseconds(_ duration: Int64) {
            metrics.kept.withLock { $0.timers[name, default: []].append(duration) }
        }
    }
}
