import Latchkey

/// Measures reading a valid token.
enum TokenRows {
    private static func signedIn() async throws -> (auth: AuthClient, floor: Floor) {
        let auth = try Service().client()
        _ = try await auth.signIn(with: "bench", .anonymous)
        return (auth, Floor(token: String(repeating: "a", count: Service.tokenLength)))
    }

    private static func floor(_ floor: Floor, _ count: Int) { for _ in 0..<count { Floor.swallow(floor.read()) } }

    static func sync() async throws -> Row {
        let (auth, floor) = try await signedIn()
        let ours = { (count: Int) in
            for _ in 0..<count where auth.currentToken() == nil { throw BenchError.failed("no token") }
        }
        let times = try await Comparison(ours: ours, reference: { Self.floor(floor, $0) })
        return Row("token-sync", times, limit: 1.25, allocations: try await allocations(ours))
    }

    static func read() async throws -> Row {
        let (auth, floor) = try await signedIn()
        let ours = { (count: Int) in for _ in 0..<count { _ = try await auth.accessToken() } }
        let times = try await Comparison(ours: ours, reference: { Self.floor(floor, $0) })
        return Row("token-read", times, limit: 1.3, allocations: try await allocations(ours))
    }

    @MainActor
    static func main() async throws -> Row {
        let (auth, floor) = try await signedIn()
        let times = try await Comparison(
            ours: { for _ in 0..<$0 { _ = try await auth.accessToken() } },
            reference: { Self.floor(floor, $0) })
        return Row("token-read-main", times, limit: 1.4)
    }

    static func crowd() async throws -> Row {
        let (auth, floor) = try await signedIn()
        let tasks = 64
        func share(_ work: @escaping @Sendable (Int) async throws -> Void) -> Work {
            { count in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<tasks { group.addTask { try await work(count / tasks + 1) } }
                    try await group.waitForAll()
                }
            }
        }
        // Long enough that starting the tasks does not matter.
        let times = try await Comparison(
            pairs: 101, of: .time(10_000_000),
            ours: share { for _ in 0..<$0 { _ = try await auth.accessToken() } },
            reference: share { Self.floor(floor, $0) })
        return Row("token-read-64", times, limit: 2.5)
    }
}
