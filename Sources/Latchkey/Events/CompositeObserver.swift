/// Passes everything to several observers, in order. Without observers it does nothing.
public struct CompositeObserver: AuthObserver {
    private let observers: [any AuthObserver]

    /// Creates an observer from several. Nested composites are flattened, and silent observers are left out.
    public init(_ observers: [any AuthObserver]) {
        self.observers = observers.flatMap { observer -> [any AuthObserver] in
            switch observer {
            case let composite as CompositeObserver: composite.observers
            case is SilentObserver: []
            default: [observer]
            }
        }
    }

    /// Creates an observer from several.
    public init(_ observers: any AuthObserver...) { self.init(observers) }

    /// Passes the observation to each observer.
    public func observe(_ observation: AuthObservation) {
        for observer in observers { observer.observe(observation) }
    }
}
