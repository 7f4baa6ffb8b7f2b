public import ServiceContextModule

/// The part of swift-distributed-tracing's `Extractor` that ``Instrument`` names.
public protocol Extractor: Sendable {
    /// What is read from.
    associatedtype Carrier: Sendable

    /// Returns the value of `key`.
    func extract(key: String, from carrier: Carrier) -> String?
}

/// The part of swift-distributed-tracing's `Injector` that ``Instrument`` names.
public protocol Injector: Sendable {
    /// What is written to.
    associatedtype Carrier: Sendable

    /// Sets the value of `key`.
    func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
}

/// The part of swift-distributed-tracing's `Instrument` that a tracer has to implement.
public protocol Instrument: Sendable {
    /// Reads a context.
    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier

    /// Writes a context.
    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier
}
