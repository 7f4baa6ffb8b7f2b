/// The part of swift-service-context's `ServiceContext` that the bridge uses.
public struct ServiceContext: Sendable {
    private init() {}

    /// A context that belongs to no other.
    public static var topLevel: ServiceContext { ServiceContext() }

    /// The context of the current task.
    @TaskLocal public static var current: ServiceContext?
}
