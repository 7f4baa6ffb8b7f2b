import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyModel

/// Walks through the model in random orders: what no list of cases thinks of.
@MainActor @Suite("Random walks through the model") struct RandomWalkTests {
    @Test(
        "in thousands of random walks one intent runs at a time, cancel wins, and the client's word is shown", .law(21))
    func walks() async throws {
        var counts: [String: Int] = [:]
        for seed in 0..<2_000 as Range<UInt64> {
            let walk = try RandomWalk(seed: seed)
            try await walk.walk(steps: 12)
            #expect(walk.violations == [])
            guard walk.violations.isEmpty else { return }
            counts.merge(walk.counts, uniquingKeysWith: +)
        }
        // What a walk never does, it cannot find.
        for name in ["twice", "cancel", "cancel refused", "stay signed in", "switch", "unlock", "answer"] {
            #expect(counts[name, default: 0] > 20, "\(name)")
        }
        print("walks=2000 \(counts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " "))")
    }
}
