public import Latchkey
import LatchkeySystem

/// Writers that count in one record, each in a place of its own, so that each knows its own change again though answers
/// are lost, and what it was told can be compared with what is there.
public struct FarCounting: Sendable {
    /// What came of the counting.
    public struct Report: Sendable {
        /// How many increments were to be made.
        public var increments = 0
        /// Those that are not there.
        public var lost = 0
        /// Those that are there twice.
        public var doubled = 0
        /// Own changes of which the store said that another writer was first.
        public var conflictsToldWrongly = 0
        /// Changes of which the answer was lost, as the store said.
        public var unknownOutcomes = 0
        /// Changes that another writer was quicker than, as the store said.
        public var conflicts = 0
    }

    private let key: StoreKey
    private let writers: Int
    private let each: Int
    private let tallies = Locked(Report())

    /// Prepares `writers` that make `each` increments of the record under `key`.
    public init(key: StoreKey = StoreKey(.settings, "count"), writers: Int, each: Int) {
        self.key = key
        self.writers = writers
        self.each = each
    }

    /// Counts, each writer in a store of its own.
    ///
    /// - Parameters:
    ///   - make: Makes the store of the writer with this number. Its calls may fail with `store(.unavailable)`.
    ///   - begin: Called once before the first increment.
    /// - Throws: What a store throws that does not pass.
    public func run<Store: SessionStore>(
        _ make: @escaping @Sendable (Int) async throws -> Store, begin: @Sendable () async throws -> Void = {}
    ) async throws -> Report {
        let stores = Locked<[Store]>([])
        for writer in 0..<writers {
            let store = try await make(writer)
            stores.withLock { $0.append(store) }
        }
        let all = stores.withLock { $0 }
        try await begin()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers { group.addTask { try await count(as: writer, in: all[writer]) } }
            try await group.waitForAll()
        }
        let found = Self.counts(try await Self.patiently { try await all[0].read(key) }?.bytes, writers)
        return tallies.withLock { report in
            report.increments = writers * each
            report.lost = found.reduce(0) { $0 + max(0, each - $1) }
            report.doubled = found.reduce(0) { $0 + max(0, $1 - each) }
            return report
        }
    }

    private func count(as writer: Int, in store: some SessionStore) async throws {
        var done = 0
        // Whether a change of this increment left of which nothing is known.
        var isOpen = false
        // Whether the store has just said that another writer was first.
        var wasConflict = false
        while done < each {
            let stored = try await Self.patiently { try await store.read(key) }
            var counts = Self.counts(stored?.bytes, writers)
            if counts[writer] > done {
                if wasConflict, !isOpen { tallies.withLock { $0.conflictsToldWrongly += 1 } }
                // Two of them are seen at the end.
                done += 1
                (isOpen, wasConflict) = (false, false)
                continue
            }
            counts[writer] = done + 1
            wasConflict = false
            do {
                try await store.replace(key, at: stored?.version, with: Self.bytes(counts))
                done += 1
                isOpen = false
            } catch is StoreConflict {
                wasConflict = true
                tallies.withLock { $0.conflicts += 1 }
            } catch let error as AuthError where error.code == .store(.unknownOutcome) {
                isOpen = true
                tallies.withLock { $0.unknownOutcomes += 1 }
            } catch let error as AuthError where error.code == .store(.unavailable) || error.code == .busy {
                await Task.yield()
            }
        }
    }

    /// Asks again while the store is away, for a minute at most.
    private static func patiently<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            do { return try await work() } catch let error as AuthError
                where error.code == .store(.unavailable) && ContinuousClock.now < end
            {
                await Task.yield()
            }
        }
    }

    private static func counts(_ bytes: [UInt8]?, _ writers: Int) -> [Int] {
        let found = String(decoding: bytes ?? [], as: UTF8.self).split(separator: ",").compactMap { Int($0) }
        return found.count == writers ? found : Array(repeating: 0, count: writers)
    }

    private static func bytes(_ counts: [Int]) -> [UInt8] {
        Array(counts.map(String.init).joined(separator: ",").utf8)
    }
}
