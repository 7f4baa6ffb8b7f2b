public import Latchkey
import LatchkeyMetrics
import Metrics
import Synchronization

/// Counts what a client does in swift-metrics, under the names, labels and bounds of ``/LatchkeyMetrics/MetricsObserver``.
///
/// Its counters are `Counter`, its histograms `Timer`, and `latchkey_gate_locked` is a `Gauge`. How a timer is shown,
/// and in which buckets, is the backend's affair.
///
/// Call `MetricsSystem.bootstrap` before anything is observed: each metric asks for its backend when it is first needed.
public final class SwiftMetricsObserver: AuthObserver {
    fileprivate struct Key: Hashable {
        var name: String
        var labels: [AuthMeasurement.Label]
    }

    fileprivate struct State {
        var meter = AuthMeasurement.Meter()
        var counters: [Key: Counter] = [:]
        var timers: [Key: Timer] = [:]
        var gate: Gauge?
    }

    private let state = Mutex(State())

    /// Creates an observer that has seen nothing.
    public init() {}

    /// Counts the observation.
    public func observe(_ observation: AuthObservation) {
        state.withLock { state in
            let measurement = state.meter.measure(observation)
            let labels = measurement.labels
            state.counter(Key(name: measurement.counter, labels: labels)).increment()
            if let histogram = measurement.histogram {
                state.timer(Key(name: histogram, labels: labels)).recordNanoseconds(measurement.took.nanoseconds)
            }
            if case .gate(let locked) = observation { state.showGate(locked) }
        }
    }
}

extension SwiftMetricsObserver.State {
    fileprivate mutating func counter(_ key: SwiftMetricsObserver.Key) -> Counter {
        if let known = counters[key] { return known }
        let counter = Counter(label: key.name, dimensions: key.dimensions)
        counters[key] = counter
        return counter
    }

    fileprivate mutating func timer(_ key: SwiftMetricsObserver.Key) -> Timer {
        if let known = timers[key] { return known }
        let timer = Timer(label: key.name, dimensions: key.dimensions)
        timers[key] = timer
        return timer
    }

    fileprivate mutating func showGate(_ isLocked: Bool) {
        let gauge = gate ?? Gauge(label: "latchkey_gate_locked")
        gate = gauge
        gauge.record(isLocked ? 1 : 0)
    }
}

extension SwiftMetricsObserver.Key {
    fileprivate var dimensions: [(String, String)] { labels.map { ($0.name, $0.value) } }
}

extension Duration {
    /// Between zero and 292 years.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = max(self, .zero).components
        guard seconds < 9_000_000_000 else { return 9_000_000_000_000_000_000 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
