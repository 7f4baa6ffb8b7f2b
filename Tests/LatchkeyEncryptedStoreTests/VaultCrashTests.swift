import Latchkey
import LatchkeyTesting
import Testing

@testable import LatchkeyEncryptedStore

@Suite("Vault: crashes")
struct VaultCrashTests {
    static let losses: [SimulatedDisk.Loss] = [.nothing, .unsynced] + (1...8).map { .some(seed: $0) }
    let key = StoreKey(.credential, "alice")

    @Test(
        "a power loss at any step of a commit leaves the old vault or the new one",
        arguments: [nil, [9, 9]] as [[UInt8]?])
    func anyStep(_ after: [UInt8]?) async throws {
        for loss in Self.losses {
            var step = 1
            var last = false
            while !last {
                let bench = VaultBench()
                let store = try await bench.made()
                let version = try await store.replace(key, at: nil, with: [1])
                bench.disk.crash(atStep: bench.disk.steps + step, losing: loss)
                let acknowledged = (try? await store.replace(key, at: version, with: after)) != nil
                last = bench.disk.crashes == 0
                if last { bench.disk.crash(losing: loss) }
                let next = try await bench.opened(seed: 2)
                let found = try await next.read(key)?.bytes
                #expect(found == [1] || found == after, "step \(step), \(loss)")
                if acknowledged { #expect(found == after, "step \(step), \(loss)") }
                _ = try await next.replace(StoreKey(.settings, "x"), at: nil, with: [1])
                let left = try bench.disk.names(VaultBench.directory).filter { $0.hasSuffix(".tmp") }
                #expect(left.isEmpty, "step \(step), \(loss)")
                step += 1
            }
            #expect(step > 4, "a commit takes several steps")
        }
    }

    @Test("a power loss while the vault is made leaves none or a whole one")
    func making() async throws {
        for loss in Self.losses {
            var step = 1
            var last = false
            while !last {
                let bench = VaultBench()
                bench.disk.crash(atStep: bench.disk.steps + step, losing: loss)
                let made = try? await bench.made()
                last = bench.disk.crashes == 0
                let next = bench.store(seed: 2)
                let found = await code { try await next.open(with: VaultBench.passphrase) }
                #expect(found == nil || found == .configuration(.invalid), "step \(step), \(loss)")
                if made != nil, !last { #expect(found == nil, "step \(step), \(loss)") }
                step += 1
            }
        }
    }

    @Test("a new key that a power loss interrupts leaves the vault open by the old one or the new one")
    func rekey() async throws {
        var step = 1
        var last = false
        while !last {
            let bench = VaultBench()
            let store = try await bench.made()
            _ = try await store.replace(key, at: nil, with: [1])
            bench.disk.crash(atStep: bench.disk.steps + step, losing: .unsynced)
            _ = try? await store.rekey(with: [0: VaultBench.passphrase])
            last = bench.disk.crashes == 0
            #expect(try await bench.opened(seed: 2).read(key)?.bytes == [1], "step \(step)")
            step += 1
        }
    }
}
