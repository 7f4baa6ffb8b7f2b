/// The part of swift-metrics' `Counter` that the bridge uses.
public final class Counter: Sendable {
    /// What counts.
    public let _handler: any CounterHandler
    /// The name.
    public let label: String
    /// The labels.
    public let dimensions: [(String, String)]

    /// Creates a counter that `handler` backs.
    public init(label: String, dimensions: [(String, String)], handler: any CounterHandler) {
        self.label = label
        self.dimensions = dimensions
        _handler = handler
    }

    /// Creates a counter of the metrics system of this process.
    public convenience init(label: String, dimensions: [(String, String)] = []) {
        let handler = MetricsSystem.factory.makeCounter(label: label, dimensions: dimensions)
        self.init(label: label, dimensions: dimensions, handler: handler)
    }

    /// Adds so much.
    public func increment<DataType: BinaryInteger>(by amount: DataType) { _handler.increment(by: Int64(amount)) }

    /// Adds one.
    public func increment() { increment(by: 1) }
}

/// The part of swift-metrics' `Recorder` that the bridge uses. Unchecked as the real class is, which may be inherited from; its
/// members are constants.
public class Recorder: @unchecked Sendable {
    // Every property is constant and Sendable; the class is open to one subclass in this module.
    /// What records.
    public let _handler: any RecorderHandler
    /// The name.
    public let label: String
    /// The labels.
    public let dimensions: [(String, String)]
    /// Whether values are put together.
    public let aggregate: Bool

    /// Creates a recorder that `handler` backs.
    public init(label: String, dimensions: [(String, String)], aggregate: Bool, handler: any RecorderHandler) {
        self.label = label
        self.dimensions = dimensions
        self.aggregate = aggregate
        _handler = handler
    }

    /// Creates a recorder of the metrics system of this process.
    public convenience init(label: String, dimensions: [(String, String)] = [], aggregate: Bool = true) {
        let handler = MetricsSystem.factory.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
        self.init(label: label, dimensions: dimensions, aggregate: aggregate, handler: handler)
    }

    /// Takes a whole number.
    public func record<DataType: BinaryInteger>(_ value: DataType) { _handler.record(Int64(value)) }
}

/// The part of swift-metrics' `Gauge` that the bridge uses. Unchecked, because the class that it inherits from is.
public final class Gauge: Recorder, @unchecked Sendable {
    /// Creates a gauge of the metrics system of this process.
    public convenience init(label: String, dimensions: [(String, String)] = []) {
        self.init(label: label, dimensions: dimensions, aggregate: false)
    }
}

/// The part of swift-metrics' `Timer` that the bridge uses.
public final class Timer: Sendable {
    /// What records.
    public let _handler: any TimerHandler
    /// The name.
    public let label: String
    /// The labels.
    public let dimensions: [(String, String)]

    /// Creates a timer that `handler` backs.
    public init(label: String, dimensions: [(String, String)], handler: any TimerHandler) {
        self.label = label
        self.dimensions = dimensions
        _handler = handler
    }

    /// Creates a timer of the metrics system of this process.
    public convenience init(label: String, dimensions: [(String, String)] = []) {
        let handler = MetricsSystem.factory.makeTimer(label: label, dimensions: dimensions)
        self.init(label: label, dimensions: dimensions, handler: handler)
    }

    /// Takes a duration.
    public func recordNanoseconds(_ duration: Int64) { _handler.recordNanoseconds(duration) }
}
