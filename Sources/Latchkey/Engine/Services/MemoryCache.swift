/// The cache that providers get: bounded, in memory, one `make` at a time per key.
actor MemoryCache: ProviderCache {
    private struct Entry {
        var value: any Sendable
        var until: MonotonicInstant
        var used: UInt64
    }

    private let context: PluginContext
    private let bound: Int
    private var entries: [String: Entry] = [:]
    private var flights: [String: Flight<any Sendable>] = [:]
    private var uses: UInt64 = 0

    init(_ context: PluginContext, bound: Int = 256) {
        self.context = context
        self.bound = bound
    }

    func value<Value: Sendable>(
        _ key: String, _ make: @escaping @Sendable () async throws -> (Value, fresh: Duration)
    ) async throws -> Value {
        uses += 1
        if let entry = entries[key], context.clock.now() < entry.until, let value = entry.value as? Value {
            entries[key]?.used = uses
            return value
        }
        let flight = flights[key] ?? take(off: key, make)
        guard let value = try await flight.value() as? Value else {
            throw AuthError(.configuration(.invalid), "Two kinds of values share a cache key.")
        }
        return value
    }

    func forget(_ key: String) { entries[key] = nil }

    private func take<Value: Sendable>(
        off key: String, _ make: @escaping @Sendable () async throws -> (Value, fresh: Duration)
    ) -> Flight<any Sendable> {
        let flight = Flight<any Sendable>()
        flights[key] = flight
        context.start("cache") { [self] in
            do {
                let (value, fresh) = try await make()
                await keep(key, value, fresh)
                flight.land(.success(value))
            } catch {
                await keep(key, nil, .zero)
                flight.land(.failure(AuthError(error)))
            }
        }
        return flight
    }

    private func keep(_ key: String, _ value: (any Sendable)?, _ fresh: Duration) {
        flights[key] = nil
        guard let value, fresh > .zero else { return }
        if entries.count >= bound, let oldest = entries.min(by: { $0.value.used < $1.value.used })?.key {
            entries[oldest] = nil
        }
        entries[key] = Entry(value: value, until: context.clock.now() + fresh, used: uses)
    }
}
