public import Latchkey

/// What an observation adds to the metrics, under the names and labels of ``MetricsObserver``. For observers that pass
/// metrics on to another library.
public struct AuthMeasurement: Sendable {
    /// The counter that goes up by one.
    public let counter: String
    /// The histogram that takes ``took``, if the counter has one.
    public let histogram: String?
    /// How long it took; zero without a histogram.
    public let took: Duration
    /// The labels of both, always in the same order for the same counter.
    public let labels: [Label]

    /// A label and its value.
    public struct Label: Hashable, Sendable {
        /// The name, such as `provider`.
        public let name: String
        /// The value. There is a bound on how many different ones a label gets.
        public let value: String
    }

    /// Measures observations within the bounds that ``MetricsObserver`` states. It remembers which names it has seen, so
    /// keep one for each metrics library.
    public struct Meter: Sendable {
        private var names = MetricNames()

        /// Creates a meter that has seen no name.
        public init() {}

        /// Returns what the observation adds.
        public mutating func measure(_ observation: AuthObservation) -> AuthMeasurement {
            let (series, took) = names.series(of: observation)
            let family = series.metric
            return AuthMeasurement(
                counter: family.name, histogram: family.histogram?.name, took: took,
                labels: series.labels.map { Label(name: $0.name, value: $0.value) })
        }
    }
}
