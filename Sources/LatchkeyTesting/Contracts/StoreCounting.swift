import Latchkey

/// Counting by compare-and-swap. Counts get lost in a store that swaps without comparing, or does
/// not do both at once.
enum StoreCounting {
    /// How long they count: it takes some thousand tries until two meet in the middle of one swap.
    private static let time = Duration.milliseconds(300)
    /// The most increments of each, if the clock stands still.
    private static let most = 1_000

    /// - Parameter fewest: The fewest increments of each, however slow the store.
    static func run(
        _ stores: [any SessionStore], tasks: Int, fewest: Int = 10, by clock: any AuthClock
    ) async throws {
        let key = StoreKey(.settings, "count")
        let start = Latch()
        let begun = clock.now()
        let counted = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<tasks {
                let store = stores[task % stores.count]
                group.addTask {
                    try await start.wait()
                    var done = 0
                    while true {
                        let now = clock.now()
                        if done >= fewest, now >= begun + time || (done >= most && now == begun) { break }
                        try await increment(key, in: store)
                        done += 1
                    }
                    return done
                }
            }
            start.open()
            return try await group.reduce(0, +)
        }
        let found = count(try await stores[0].read(key)?.bytes ?? [])
        try expect(found == counted, "\(found) of \(counted) increments are there")
    }

    static func increment(_ key: StoreKey, in store: any SessionStore) async throws {
        while true {
            let found = try await store.read(key)
            let next = count(found?.bytes ?? []) + 1
            do {
                try await store.replace(key, at: found?.version, with: Array(String(next).utf8))
                return
            } catch is StoreConflict {
                continue
            }
        }
    }

    static func count(_ bytes: [UInt8]) -> Int { Int(String(decoding: bytes, as: UTF8.self)) ?? 0 }
}
