public import Latchkey

/// A cache that keeps what is fresh for any time at all, for contexts that a test makes itself.
///
/// The engine's own is bounded and forgets what is no longer fresh.
public actor KeepingCache: ProviderCache {
    private var values: [String: any Sendable] = [:]

    /// An empty cache.
    public init() {}

    /// The value under `key`, or what `make` gives.
    public func value<Value: Sendable>(
        _ key: String, _ make: @escaping @Sendable () async throws -> (Value, fresh: Duration)
    ) async throws -> Value {
        if let value = values[key] as? Value { return value }
        let (value, fresh) = try await make()
        if fresh > .zero { values[key] = value }
        return value
    }

    /// Forgets the value under `key`.
    public func forget(_ key: String) { values[key] = nil }
}
