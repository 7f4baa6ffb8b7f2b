import CBench
import FoundationEssentials
import Latchkey

/// Measures a process with very many accounts.
enum AccountRows {
    static let count = 100_000

    private static func filled() async throws -> (MemoryStore, Service) {
        let store = MemoryStore()
        return (store, try await Service.filling(store, with: count))
    }

    /// Measures a token by account ID, with a different account for each sample.
    static func token() async throws -> Row {
        let (store, service) = try await filled()
        let auth = try service.client { $0.store(store) }
        guard try await auth.restore().count == count else { throw BenchError.failed("not all accounts are there") }
        // New instances, as in a program that reads the ID from its own session.
        let ids = (0..<64).map { service.account("subject-\($0 * 1_553)") }
        let floor = Floor(token: String(repeating: "a", count: Service.tokenLength))
        var turn = 0
        let ours = { (count: Int) in
            turn += 1
            let id = ids[turn % ids.count]
            for _ in 0..<count where auth.currentToken(of: id) == nil { throw BenchError.failed("no token") }
        }
        let times = try await Comparison(
            ours: ours, reference: { for _ in 0..<$0 { Floor.swallow(floor.read()) } })
        return Row("token-account", times, limit: 2.3)
    }

    /// Measures the memory that a client uses for an account, without the store's bytes and the tokens.
    static func memory() async throws -> Row {
        let (store, service) = try await filled()
        let auth = try service.client { $0.store(store) }
        let before = try await settledHeap()
        guard try await auth.accounts().count == count else { throw BenchError.failed("not all accounts are there") }
        let held = try await settledHeap() - before
        var tokens: [AccessToken] = []
        tokens.reserveCapacity(count)
        let beforeTokens = cb_heap_bytes()
        for index in 0..<count { tokens.append(Self.copy(index)) }
        let spent = cb_heap_bytes() - beforeTokens
        guard tokens.count == count, auth.currentToken(of: service.account("subject-7")) != nil else {
            throw BenchError.failed("the accounts are gone")
        }
        let bytes = (Double(held) - Double(spent)) / Double(count)
        // A name and two instants alone take more than this, so a smaller result did not measure the accounts.
        guard bytes > 100, spent > Int64(count * Service.tokenLength) else {
            throw BenchError.failed("\(held) bytes with \(spent) bytes of tokens cannot be")
        }
        return Row(
            name: "account-memory", ours: "\(Row.decimal(bytes, 0))B",
            limit: "1024B", isWithin: bytes <= 1_024)
    }

    /// Returns the size of the heap once it is stable: the client that filled the store ends after the call that
    /// made it.
    private static func settledHeap() async throws -> Int64 {
        var (last, same) = (cb_heap_bytes(), 0)
        for _ in 0..<500 {
            try await Task.sleep(for: .milliseconds(20))
            let now = cb_heap_bytes()
            // Less than a byte per account comes from the runtime itself.
            same = abs(now - last) < 65_536 ? same + 1 : 0
            if same == 5 { return now }
            last = now
        }
        throw BenchError.failed("something else takes memory all the time")
    }

    /// Returns a token like one read from a store, which shares no memory with another.
    private static func copy(_ index: Int) -> AccessToken {
        let lifetime = Lifetime(
            receivedAt: MonotonicInstant(nanoseconds: Int64(index)),
            boot: "0b7c3c1e-1111-2222-3333-4444\(10_000_000 + index)",
            wall: Date(timeIntervalSince1970: 0), lasts: .seconds(3_600))
        return AccessToken(
            Secret([UInt8](repeating: 0x61, count: Service.tokenLength)), lifetime: lifetime,
            scopes: ["openid", "email"])
    }
}
