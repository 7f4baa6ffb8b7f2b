/// Passes everything to several observers, in order. Without observers it does nothing.
public struct CompositeObserver: AuthObserver {
    private let observers: [any AuthObserver]
    private let eventObservers: [any AuthEventObserving]

    /// Creates an observer from several. Nested composites are flattened, and silent observers are left out.
    public init(_ observers: [any AuthObserver]) {
        self.observers = observers.flatMap { observer -> [any AuthObserver] in
            switch observer {
            case let composite as CompositeObserver: composite.observers
            case is SilentObserver: []
            default: [observer]
            }
        }
        // Asks the type first, for the reason that the client's builder gives.
        eventObservers = self.observers.compactMap { observer in
            type(of: observer) is any AuthEventObserving.Type ? observer as? any AuthEventObserving : nil
        }
    }

    /// Creates an observer from several.
    public init(_ observers: any AuthObserver...) { self.init(observers) }

    /// Passes the observation to each observer.
    public func observe(_ observation: AuthObservation) {
        for observer in observers { observer.observe(observation) }
    }
}

extension CompositeObserver: AuthEventObserving {
    /// Passes the event to each observer that takes events.
    public func observe(_ event: AuthEvent) { for observer in eventObservers { observer.observe(event) } }
}
