/// Backs a ``Counter``.
public protocol CounterHandler: AnyObject, Sendable {
    /// Adds so much.
    func increment(by: Int64)
    /// Begins at zero again.
    func reset()
}

/// Backs a ``Recorder`` or a ``Gauge``.
public protocol RecorderHandler: AnyObject, Sendable {
    /// Takes a whole number.
    func record(_ value: Int64)
    /// Takes a number.
    func record(_ value: Double)
}

/// Backs a ``Timer``.
public protocol TimerHandler: AnyObject, Sendable {
    /// Takes a duration.
    func recordNanoseconds(_ duration: Int64)
}

/// The part of swift-metrics' `MetricsFactory` that the bridge's metrics need: what a backend implements.
public protocol MetricsFactory: Sendable {
    /// Makes what backs a counter.
    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler
    /// Makes what backs a recorder, or a gauge, which does not aggregate.
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler
    /// Makes what backs a timer.
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler
    /// The counter is not used any more.
    func destroyCounter(_ handler: any CounterHandler)
    /// The recorder is not used any more.
    func destroyRecorder(_ handler: any RecorderHandler)
    /// The timer is not used any more.
    func destroyTimer(_ handler: any TimerHandler)
}
