import Synchronization

/// The part of swift-metrics' `MetricsSystem` that the bridge's metrics need.
public enum MetricsSystem {
    private static let chosen = Mutex<any MetricsFactory>(NOOPMetricsHandler())

    /// Chooses the backend of this process. The real one may be called once; this one any number of times.
    public static func bootstrap(_ factory: any MetricsFactory) { chosen.withLock { $0 = factory } }

    /// The backend of this process.
    public static var factory: any MetricsFactory { chosen.withLock { $0 } }
}

/// A backend that forgets everything.
private final class NOOPMetricsHandler: MetricsFactory, CounterHandler, RecorderHandler, TimerHandler {
    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { self }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler { self }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { self }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func increment(by: Int64) {}
    func reset() {}
    func record(_ value: Int64) {}
    func record(_ value: Double) {}
    func recordNanoseconds(_ duration: Int64) {}
}
