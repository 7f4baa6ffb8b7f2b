import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeyEncryptedStore

/// What opening a file costs that somebody else may have written.
@Suite("The budget of an opening") struct VaultBudgetTests {
    private let bench = VaultBench()

    /// A header with one slot of the person's, and those that `forged` gives the cost of.
    private func header(_ forged: [ScryptCost]) async throws -> VaultHeader {
        let real = try (try await bench.made()).status().header
        let own = try #require(real.slots.first)
        func slot(_ index: Int, _ kind: VaultSlot.Kind, _ salt: [UInt8]) -> VaultSlot {
            VaultSlot(
                index: UInt16(index), kind: kind, type: own.type, flags: own.flags, parameters: own.parameters,
                salt: salt, commitment: own.commitment, wrapped: own.wrapped)
        }
        let slots = forged.enumerated().map { slot($0 + 1, .passphrase($1), [UInt8](repeating: 7, count: 32)) }
        return VaultHeader(
            suite: real.suite, id: real.id, generation: real.generation, epoch: real.epoch, writtenAt: real.writtenAt,
            slots: slots + [slot(Int(own.index), own.kind, own.salt)], bodySize: real.bodySize, code: real.code,
            authenticated: real.authenticated)
    }

    private func keeper() -> LocalKeeper { VaultBench.keeper(bench.context(seed: 3)) }

    @Test("15 slots that cost the most are not tried before the person's own one") func cheapFirst() async throws {
        let header = try await header(Array(repeating: .most, count: 15))
        // Each of the others would take a gibibyte.
        let found = try await keeper().find(VaultBench.passphrase, in: header)
        #expect(found?.0.index == 0)
    }

    @Test("what is too expensive together is an error that says so, and not a wrong passphrase") func tooMuch()
        async throws
    {
        let header = try await header([.most])
        let wrong = UnlockKey(.passphrase, Secret("not the passphrase"))
        #expect(await code { try await keeper().find(wrong, in: header) } == .store(.newerVersion))
    }

    @Test("16 slots of twice the usual cost fit") func enough() {
        #expect(16 * ScryptCost(logN: 18).work <= ScryptCost.most.work)
        #expect(ScryptCost(logN: .max, parallelization: .max).work > ScryptCost.most.work)
    }

    @Test("a caller that is cancelled waits for no stretching") func cancelled() async throws {
        let header = try await header([ScryptCost(logN: 17)])
        let wrong = UnlockKey(.passphrase, Secret("not the passphrase"))
        let keeper = keeper()
        let opening = Task { try await keeper.find(wrong, in: header) }
        opening.cancel()
        await #expect(throws: CancellationError.self) { try await opening.value }
    }
}
