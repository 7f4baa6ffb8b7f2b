/// Shows everything to several observers, in their order. With none it does nothing.
public struct CompositeObserver: AuthObserver {
    private let observers: [any AuthObserver]

    /// An observer of its parts. Parts that are composites themselves are taken apart; silent ones are left out.
    public init(_ observers: [any AuthObserver]) {
        self.observers = observers.flatMap { observer -> [any AuthObserver] in
            switch observer {
            case let composite as CompositeObserver: composite.observers
            case is SilentObserver: []
            default: [observer]
            }
        }
    }

    /// An observer of its parts.
    public init(_ observers: any AuthObserver...) { self.init(observers) }

    /// Shows the observation to each part.
    public func observe(_ observation: AuthObservation) {
        for observer in observers { observer.observe(observation) }
    }
}
