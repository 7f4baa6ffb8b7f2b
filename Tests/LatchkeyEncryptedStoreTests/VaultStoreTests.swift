import Latchkey
import LatchkeyFileStore
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyEncryptedStore

@Suite("Vault: the store")
struct VaultStoreTests {
    private let bench = VaultBench()
    private let key = StoreKey(.credential, "alice")

    @Test("closed it says so to every call, and is never empty")
    func closed() async throws {
        _ = try await bench.made().replace(key, at: nil, with: [1])
        let store = bench.store(seed: 2)
        #expect(await code { try await store.read(key) } == .locked)
        #expect(await code { try await store.keys(.credential) } == .locked)
        #expect(await code { try await store.replace(key, at: nil, with: [1]) } == .locked)
        #expect(await code { try await store.lock(key, deadline: .zero) } == .locked)
        try await store.open(with: VaultBench.passphrase)
        #expect(try await store.read(key)?.bytes == [1])
        await store.close()
        #expect(await code { try await store.read(key) } == .locked)
    }

    @Test("six answers are six: absent, locked, wrong passphrase, damaged, tampered, rolled back", .need("N4"))
    func sixAnswers() async throws {
        let options = VaultOptions(
            cost: VaultBench.cheap, rollback: .enforce,
            anchors: [FileAnchor(in: "/home/alice/anchor", context: bench.context(seed: 9))])
        let first = try await bench.made(options: options)
        #expect(try await first.read(key) == nil)
        let old = try bench.disk.content(VaultBench.vault)
        _ = try await first.replace(key, at: nil, with: [1])
        let whole = try #require(try bench.disk.content(VaultBench.vault))

        let second = bench.store(seed: 2, options: options)
        #expect(await code { try await second.read(key) } == .locked)
        #expect(
            await code { try await second.open(with: UnlockKey(.passphrase, Secret("wrong"))) } == .refused(.wrongInput)
        )
        try bench.disk.put(VaultBench.vault, whole.dropLast() + [whole[whole.count - 1] ^ 1])
        #expect(await code { try await second.open(with: VaultBench.passphrase) } == .store(.damaged))
        var changed = whole
        changed[whole.count - 100] ^= 1
        try bench.disk.put(VaultBench.vault, VaultFormatTests.mended(changed))
        #expect(await code { try await second.open(with: VaultBench.passphrase) } == .store(.tampered))
        try bench.disk.put(VaultBench.vault, try #require(old))
        #expect(await code { try await second.open(with: VaultBench.passphrase) } == .store(.rolledBack))
        #expect(await code { try await second.read(key) } == .locked)
    }

    @Test("without a vault the error says what to do, and nothing is made")
    func absent() async throws {
        let store = bench.store()
        #expect(await code { try await store.read(key) } == .configuration(.invalid))
        #expect(await code { try await store.open(with: VaultBench.passphrase) } == .configuration(.invalid))
        #expect(throws: AuthError.self) { try store.status() }
        #expect(try bench.disk.content(VaultBench.vault) == nil)
    }

    @Test("where the options say so, the first key makes the vault, and another one does not open it")
    func firstKey() async throws {
        let options = VaultOptions(cost: VaultBench.cheap, isMadeWhenFirstOpened: true)
        let store = bench.store(options: options)
        #expect(await code { try await store.read(key) } == .locked)
        try await store.open(with: VaultBench.passphrase)
        _ = try await store.replace(key, at: nil, with: [1])
        let next = bench.store(seed: 2, options: options)
        #expect(
            await code { try await next.open(with: UnlockKey(.passphrase, Secret("other"))) } == .refused(.wrongInput))
        try await next.open(with: VaultBench.passphrase)
        #expect(try await next.read(key)?.bytes == [1])
    }

    @Test("a vault that nobody could open without this machine is refused")
    func survival() async throws {
        let holders = UnlockKey(.key(source: "test"), Secret([UInt8](repeating: 3, count: 32)))
        #expect(await code { try await bench.store().initialise(with: [NewSlot(holders)]) } == .configuration(.invalid))
        let store = try await bench.made()
        try await store.addSlot(NewSlot(holders, name: "kek"))
        #expect(await code { try await store.removeSlot(0) } == .configuration(.invalid))
        try await store.addSlot(NewSlot(UnlockKey(.recoveryCode, Secret([UInt8](repeating: 5, count: 20)))))
        try await store.removeSlot(0)
        #expect(try store.status().header.slots.map(\.index) == [1, 2])
        let next = bench.store(seed: 2)
        #expect(await code { try await next.open(with: VaultBench.passphrase) } == .refused(.wrongInput))
        try await next.open(with: holders)
    }

    @Test("a changed passphrase opens, the former one does not")
    func changedPassphrase() async throws {
        let store = try await bench.made()
        _ = try await store.replace(key, at: nil, with: [1])
        let new = UnlockKey(.passphrase, Secret("another passphrase"))
        try await store.replaceSlot(0, by: NewSlot(new, cost: VaultBench.cheap))
        let next = bench.store(seed: 2)
        #expect(await code { try await next.open(with: VaultBench.passphrase) } == .refused(.wrongInput))
        try await next.open(with: new)
        #expect(try await next.read(key)?.bytes == [1])
    }

    @Test("a new key names the slots for which nobody has the key, and changes nothing then")
    func rekey() async throws {
        let store = try await bench.made()
        _ = try await store.replace(key, at: nil, with: [1])
        try await store.addSlot(NewSlot(UnlockKey(.key(source: "test"), Secret([UInt8](repeating: 3, count: 32)))))
        let before = try bench.disk.content(VaultBench.vault)
        #expect(await code { try await store.rekey(with: [0: VaultBench.passphrase]) } == .refused(.other))
        #expect(try bench.disk.content(VaultBench.vault) == before)
        let other = try await bench.opened(seed: 3)
        try await store.rekey(with: [0: VaultBench.passphrase], dropping: [1])
        #expect(try store.status().header.epoch == 2)
        #expect(try await store.read(key)?.bytes == [1])
        // A process that had it open has the former key.
        #expect(await code { try await other.read(key) } == .locked)
        try await other.open(with: VaultBench.passphrase)
        #expect(try await other.read(key)?.bytes == [1])
    }

    @Test("a passphrase that costs too little is renewed when it opens the vault")
    func raisedCost() async throws {
        _ = try await bench.made().replace(key, at: nil, with: [1])
        let dearer = bench.store(seed: 2, options: VaultOptions(cost: ScryptCost(logN: 11)))
        try await dearer.open(with: VaultBench.passphrase)
        #expect(try dearer.status().header.slots.map(\.kind) == [.passphrase(ScryptCost(logN: 11))])
        #expect(try await bench.opened(seed: 3).read(key)?.bytes == [1])
    }

    @Test("an older vault is told under warn, and taken when the person says so")
    func rollback() async throws {
        func options(_ policy: RollbackPolicy) -> VaultOptions {
            VaultOptions(
                cost: VaultBench.cheap, rollback: policy,
                anchors: [FileAnchor(in: "/home/alice/anchor", context: bench.context(seed: 9))])
        }
        let first = try await bench.made(options: options(.enforce))
        let old = try #require(try bench.disk.content(VaultBench.vault))
        let version = try await first.replace(key, at: nil, with: [1])
        _ = try await first.replace(key, at: version, with: [2])
        try bench.disk.put(VaultBench.vault, old)
        // What this process has seen itself counts under every policy.
        #expect(await code { try await first.read(key) } == .store(.rolledBack))
        let careless = try await bench.opened(seed: 2, options: options(.off))
        #expect(try await careless.read(key) == nil)
        let warned = try await bench.opened(seed: 3, options: options(.warn))
        #expect(warned.lastRollback?.code == .store(.rolledBack))
        let strict = bench.store(seed: 4, options: options(.enforce))
        #expect(await code { try await strict.open(with: VaultBench.passphrase) } == .store(.rolledBack))
        #expect(await code { try await strict.acceptRollback(generation: 99) } == .configuration(.invalid))
        try await strict.acceptRollback(generation: 1)
        try await strict.open(with: VaultBench.passphrase)
        #expect(try await strict.read(key) == nil)
    }

    @Test("an anchor that is one behind is a crash between the two, and mended")
    func anchorBehind() async throws {
        let anchor = FileAnchor(in: "/home/alice/anchor", context: bench.context(seed: 9))
        let options = VaultOptions(cost: VaultBench.cheap, rollback: .enforce, anchors: [anchor])
        let first = try await bench.made(options: options)
        let mark = try #require(try anchor.mark(of: VaultBench.directory))
        _ = try await first.replace(key, at: nil, with: [1])
        try anchor.remember(mark, of: VaultBench.directory)
        _ = try await bench.opened(seed: 2, options: options)
        #expect(try anchor.mark(of: VaultBench.directory)?.generation == 2)
    }

    @Test("a vault that cannot be read is set aside only by being told to, and nothing is written over it")
    func quarantine() async throws {
        let store = try await bench.made()
        #expect(await code { try await store.quarantine() } == .configuration(.invalid))
        let whole = try #require(try bench.disk.content(VaultBench.vault))
        try bench.disk.put(VaultBench.vault, Array(whole.dropLast(7)))
        #expect(await code { try await store.replace(key, at: nil, with: [1]) } == .store(.damaged))
        #expect(
            await code { try await bench.store(seed: 2).initialise(with: [NewSlot(VaultBench.passphrase)]) }
                == .configuration(.invalid))
        let aside = try await store.quarantine()
        #expect(try bench.disk.content(aside) == Array(whole.dropLast(7)))
        let next = try await bench.made(seed: 3)
        #expect(try next.status().setAside == [aside])
        #expect(try next.setAsideFiles() == [aside])
        #expect(try await next.removeSetAside() == 1)
        #expect(try next.setAsideFiles().isEmpty && bench.disk.content(aside) == nil)
    }

    @Test("vaults that were set aside are bounded in number, listed without a vault, and erased with it")
    func asideBounded() async throws {
        for seed in 1...(EncryptedFileStore.mostSetAside + 2) {
            let store = try await bench.made(seed: UInt64(seed))
            let whole = try #require(try bench.disk.content(VaultBench.vault))
            try bench.disk.put(VaultBench.vault, Array(whole.dropLast(7)))
            _ = try await store.quarantine()
        }
        #expect(try bench.store(seed: 20).setAsideFiles().count == EncryptedFileStore.mostSetAside)
        let last = try await bench.made(seed: 21)
        try await last.erase()
        #expect(try last.setAsideFiles().isEmpty)
    }

    @Test("an erased vault is gone, and as new")
    func erase() async throws {
        let store = try await bench.made()
        _ = try await store.replace(key, at: nil, with: [1])
        try await store.erase()
        #expect(try bench.disk.content(VaultBench.vault) == nil)
        #expect(await code { try await store.read(key) } == .configuration(.invalid))
        let next = try await bench.made(seed: 2)
        #expect(try await next.read(key) == nil)
    }

    @Test("a backup that is put back goes on from the newest generation")
    func backup() async throws {
        let store = try await bench.made()
        let version = try await store.replace(key, at: nil, with: [1])
        try store.backup(to: "/home/alice/copy.lkv")
        let second = try await store.replace(key, at: version, with: [2])
        #expect(throws: AuthError.self) { try store.backup(to: "/home/alice/copy.lkv") }
        #expect(
            await code {
                try await store.restore(from: "/home/alice/copy.lkv", with: UnlockKey(.passphrase, Secret("wrong")))
            } == .refused(.wrongInput))
        try await store.restore(from: "/home/alice/copy.lkv", with: VaultBench.passphrase)
        #expect(await code { try await store.read(key) } == .locked)
        try await store.open(with: VaultBench.passphrase)
        #expect(try await store.read(key)?.bytes == [1])
        #expect(try store.status().header.generation == 4)
        await #expect(throws: StoreConflict.self) { try await store.replace(key, at: second, with: [3]) }
    }

    @Test(
        "a vault that others may read or change is refused, and mended only by being told to",
        arguments: [0o644, 0o640, 0o606] as [UInt32])
    func modes(_ mode: UInt32) async throws {
        let store = try await bench.made()
        try bench.disk.change(VaultBench.vault, mode: mode)
        #expect(await code { try await store.read(key) } == .store(.insecurePermissions))
        #expect(try store.repairPermissions() == [VaultBench.vault])
        #expect(try await store.read(key) == nil)
        try bench.disk.change(VaultBench.directory, mode: 0o755)
        #expect(await code { try await store.read(key) } == .store(.insecurePermissions))
        #expect(try store.repairPermissions() == [VaultBench.directory])
        #expect(try await store.read(key) == nil)
    }

    @Test("a full disk loses nothing")
    func full() async throws {
        let store = try await bench.made()
        let version = try await store.replace(key, at: nil, with: [1])
        bench.disk.inject { operation, _ in operation == .write ? .full : nil }
        #expect(await code { try await store.replace(key, at: version, with: [2]) } == .store(.full))
        bench.disk.inject(nil)
        #expect(try await bench.opened(seed: 2).read(key)?.version == version)
        _ = try await store.replace(key, at: version, with: [3])
    }

    @Test("a vault that is removed while in use is not taken for an empty one")
    func removed() async throws {
        let store = try await bench.made()
        try SimulatedFiles(on: bench.disk).remove(VaultBench.vault)
        #expect(await code { try await store.read(key) } == .store(.unavailable))
        #expect(await code { try await store.replace(key, at: nil, with: [1]) } == .store(.unavailable))
    }

    @Test("two processes that write at one version: one wins, and neither loses the other's records")
    func conflict() async throws {
        let first = try await bench.made()
        let second = try await bench.opened(seed: 2)
        let version = try await first.replace(key, at: nil, with: [1])
        _ = try await second.replace(StoreKey(.settings, "x"), at: nil, with: [9])
        _ = try await second.replace(key, at: version, with: [2])
        await #expect(throws: StoreConflict.self) { try await first.replace(key, at: version, with: [3]) }
        #expect(try await first.read(key)?.bytes == [2])
        #expect(try await first.read(StoreKey(.settings, "x"))?.bytes == [9])
    }

    @Test("a listing of the directory shows no account")
    func names() async throws {
        let store = try await bench.made()
        let account = StoreKey(.credential, "ada@example.com")
        _ = try await store.replace(account, at: nil, with: [1])
        await (try store.lock(account, deadline: .zero)).release()
        let names = try bench.disk.names(VaultBench.directory).sorted()
        #expect(names.count == 3 && names.contains("vault.lkv") && names.contains("vault.lock"))
        #expect(!names.contains { $0.contains("ada") || $0.contains("616461") })
    }

    @Test("a PIN is no passphrase", arguments: ["", "4711", "1234567", "ééééééé"])
    func shortPassphrase(_ text: String) async throws {
        let short = NewSlot(UnlockKey(.passphrase, Secret(text)), cost: VaultBench.cheap)
        let store = bench.store()
        #expect(await code { try await store.initialise(with: [short]) } == .configuration(.invalid))
        #expect(try bench.disk.content(VaultBench.vault) == nil)
        let made = try await bench.made()
        #expect(await code { try await made.addSlot(short) } == .configuration(.invalid))
        #expect(await code { try await made.replaceSlot(0, by: short) } == .configuration(.invalid))
        try await bench.store(seed: 2).open(with: VaultBench.passphrase)
    }

    @Test("what this process writes while it reads is no older vault in place of a newer one")
    func writtenMeanwhile() async throws {
        _ = try await bench.made().replace(key, at: nil, with: [1])
        let other = try await bench.opened(seed: 3)
        let keeper = InterruptedKeeper(VaultBench.keeper(bench.context(seed: 2)))
        let store = EncryptedFileStore(
            at: VaultBench.directory, keptBy: keeper, options: bench.options, context: bench.context(seed: 2))
        try await store.open(with: VaultBench.passphrase)
        _ = try await other.replace(StoreKey(.settings, "other"), at: nil, with: [2])
        keeper.interrupt {
            _ = try await store.replace(StoreKey(.settings, "own"), at: nil, with: [3])
        }
        #expect(try await store.read(StoreKey(.settings, "other"))?.bytes == [2])
        #expect(try await store.read(StoreKey(.settings, "own"))?.bytes == [3])
    }

    @Test("a holder of keys is an anchor, and one that has something else says nothing")
    func holderAnchor() async throws {
        let holder = MemoryHolder()
        let options = VaultOptions(
            cost: VaultBench.cheap, rollback: .enforce, anchors: [HolderAnchor(holder)])
        let first = try await bench.made(options: options)
        let old = try #require(try bench.disk.content(VaultBench.vault))
        _ = try await first.replace(key, at: nil, with: [1])
        try bench.disk.put(VaultBench.vault, old)
        let second = bench.store(seed: 2, options: options)
        #expect(await code { try await second.open(with: VaultBench.passphrase) } == .store(.rolledBack))
        holder.keys.withLock { keys in for name in keys.keys { keys[name] = Secret([1, 2, 3]) } }
        // What is no mark is an alarm.
        let third = bench.store(seed: 3, options: options)
        #expect(await code { try await third.open(with: VaultBench.passphrase) } == .store(.rolledBack))
        holder.keys.withLock { $0 = [:] }
        try await third.open(with: VaultBench.passphrase)
    }
}

/// Keys in memory.
private final class MemoryHolder: KeyHolder {
    let source = "memory"
    let keys = Locked<[String: Secret]>([:])

    func availability() -> UnlockAvailability { .available }
    func key(_ name: String) -> Secret? { keys.withLock { $0[name] } }
    func keep(_ key: Secret, under name: String) { keys.withLock { $0[name] = key } }
    func remove(_ name: String) { keys.withLock { $0[name] = nil } }
}
