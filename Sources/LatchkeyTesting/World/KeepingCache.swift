public import Latchkey

/// A cache for contexts that a test creates itself. It keeps fresh values for any length of time.
///
/// The engine's own cache is bounded and forgets values that are no longer fresh.
public actor KeepingCache: ProviderCache {
    private var values: [String: any Sendable] = [:]

    /// Creates an empty cache.
    public init() {}

    /// Returns the value under `key`, or what `make` returns.
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
