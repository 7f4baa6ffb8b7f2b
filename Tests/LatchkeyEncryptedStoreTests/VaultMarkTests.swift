import Latchkey
import LatchkeyTesting
import Proofs
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#endif

@testable import LatchkeyEncryptedStore

/// What somebody who can change the files puts in place of a vault or of its mark, on each path that opens a vault.
@Suite("The mark of a vault") struct VaultMarkTests {
    private static let passphrase = UnlockKey(.passphrase, Secret("correct horse battery staple"))
    private static let held = UnlockKey(.key(source: "file"), Secret([UInt8](repeating: 0x5A, count: 32)))
    private static let key = StoreKey(.credential, "ada")

    /// How a vault is opened.
    private enum Path: String, CaseIterable { case agent, passphrase, keyFile, process }

    /// What is put in place.
    private enum Change: String, CaseIterable {
        case older, otherVault, otherVaultAgain, markCut, markEmpty, markLink, markDirectory, markOpen, markOfAnother

        /// Whether no policy but `off` opens the vault then.
        var isFatal: Bool { self == .otherVault || self == .otherVaultAgain || self == .markOfAnother }
    }

    /// A folder with a vault, and what opens it.
    private struct Scene {
        let folder: TemporaryFolder
        /// Keeps the key open, as the agent does.
        let agent: LocalKeeper

        init(_ folder: TemporaryFolder) async throws {
            self.folder = folder
            agent = VaultBench.keeper(.system)
            let store = store(keptBy: agent)
            try await store.initialise(with: [
                NewSlot(VaultMarkTests.passphrase, cost: VaultBench.cheap), NewSlot(VaultMarkTests.held),
            ])
            _ = try await store.replace(VaultMarkTests.key, at: nil, with: [1])
        }

        func store(
            _ policy: RollbackPolicy = .warn, keptBy keeper: LocalKeeper? = nil, at directory: String = "vault"
        ) -> EncryptedFileStore {
            EncryptedFileStore(
                at: folder[directory], keptBy: keeper ?? VaultBench.keeper(.system),
                options: VaultOptions(
                    cost: VaultBench.cheap, rollback: policy, anchors: [FileAnchor(in: folder["marks"])]),
                context: .system)
        }

        /// A store that was opened by `path`, and read.
        func opened(_ path: Path, _ policy: RollbackPolicy = .warn) async throws -> EncryptedFileStore {
            let store = store(policy, keptBy: path == .agent ? agent : nil)
            switch path {
            case .agent: break
            case .passphrase, .process: try await store.open(with: VaultMarkTests.passphrase)
            case .keyFile: try await store.open(with: VaultMarkTests.held)
            }
            _ = try await store.read(VaultMarkTests.key)
            return store
        }

        var vault: String { folder["vault/vault.lkv"] }

        var mark: String {
            get throws {
                folder["marks/\(try #require(try SystemFiles().list(folder["marks"]).first { $0.hasSuffix(".mark") }))"]
            }
        }

        func bytes(_ path: String) throws -> [UInt8] { try #require(try SystemFiles().read(path, limit: 1 << 20)) }

        func put(_ bytes: [UInt8], at path: String) throws {
            _ = unlink(path)
            try SystemFiles().writeNew(path, bytes)
        }

        func make(_ change: Change, _ old: [UInt8]) async throws {
            let mark = try mark
            switch change {
            case .older: try put(old, at: vault)
            case .otherVault, .otherVaultAgain, .markOfAnother:
                let other = store(.off, at: "other")
                try await other.initialise(with: [
                    NewSlot(VaultMarkTests.passphrase, cost: VaultBench.cheap), NewSlot(VaultMarkTests.held),
                ])
                if change == .markOfAnother {
                    let header = try other.status().header
                    try put(VaultMark(header).bytes, at: mark)
                } else {
                    // A younger one than the vault is, too.
                    for number in 0..<(change == .otherVault ? 0 : 9) {
                        _ = try await other.replace(StoreKey(.settings, "\(number)"), at: nil, with: [1])
                    }
                    try put(try bytes(folder["other/vault.lkv"]), at: vault)
                }
            case .markCut: try put(Array(try bytes(mark).dropLast(20)), at: mark)
            case .markEmpty: try put([], at: mark)
            case .markLink:
                #expect(rename(mark, folder["elsewhere"]) == 0 && symlink(folder["elsewhere"], mark) == 0)
            case .markDirectory: #expect(unlink(mark) == 0 && mkdir(mark, 0o700) == 0)
            case .markOpen: #expect(chmod(mark, 0o644) == 0)
            }
        }

        /// Whether a store that is opened now says so, or does not open.
        func isNoticed(_ path: Path, _ change: Change) async throws -> Bool {
            do {
                let store = try await opened(path)
                return !change.isFatal && store.lastRollback?.code == .store(.rolledBack)
            } catch let error as AuthError {
                // The agent has no key of another vault.
                let isLocked = path == .agent && error.code == .locked
                return change.isFatal && (error.code == .store(.rolledBack) || isLocked)
            }
        }
    }

    @Test("what is put in place of a vault or of its mark is noticed on every path, also after a write", .law(8))
    func table()
        async throws
    {
        var (paths, noticed) = (0, 0)
        for path in Path.allCases {
            for change in Change.allCases {
                let isNoticed = try await TemporaryFolder.with { folder in
                    let scene = try await Scene(folder)
                    let old = try scene.bytes(scene.vault)
                    let store = scene.store(keptBy: scene.agent)
                    _ = try await store.replace(StoreKey(.settings, "a"), at: nil, with: [1])
                    _ = try await store.replace(StoreKey(.settings, "b"), at: nil, with: [1])
                    // One that stays open has seen the vault, and one that begins now has not.
                    let process = try await scene.opened(.process)
                    try await scene.make(change, old)
                    var answers = [try await scene.isNoticed(path, change)]
                    if path == .process, !change.isFatal {
                        _ = try? await process.replace(StoreKey(.settings, "c"), at: nil, with: [1])
                    } else if !change.isFatal {
                        _ = try await scene.opened(path).replace(StoreKey(.settings, "c"), at: nil, with: [1])
                    }
                    answers.append(try await scene.isNoticed(path, change))
                    let strict = await code { try await scene.opened(path, .enforce) }
                    answers.append(strict == .store(.rolledBack) || (path == .agent && strict == .locked))
                    return answers.allSatisfy(\.self)
                }
                paths += 1
                noticed += isNoticed ? 1 : 0
                #expect(isNoticed, "\(path) \(change)")
            }
        }
        print("paths=\(paths) noticed=\(noticed)")
    }

    @Test("with the person's word the vault in place counts, and what is written is remembered again", .law(8))
    func accepted()
        async throws
    {
        for change in Change.allCases where change != .markDirectory {
            try await TemporaryFolder.with { folder in
                let scene = try await Scene(folder)
                let old = try scene.bytes(scene.vault)
                _ = try await scene.store(keptBy: scene.agent).replace(StoreKey(.settings, "a"), at: nil, with: [1])
                try await scene.make(change, old)
                let store = scene.store(.enforce)
                try await store.acceptRollback(generation: try store.status().header.generation)
                let found = try await scene.opened(.passphrase, .enforce)
                #expect(found.lastRollback == nil, "\(change)")
                let before = try scene.bytes(scene.mark)
                _ = try await found.replace(StoreKey(.settings, "d"), at: nil, with: [1])
                #expect(try scene.bytes(scene.mark) != before)
                #expect(try await scene.opened(.keyFile, .enforce).lastRollback == nil)
            }
        }
    }

    @Test("what cannot be accepted is an error, and no silence") func unaccepted() async throws {
        try await TemporaryFolder.with { folder in
            let scene = try await Scene(folder)
            try await scene.make(.markDirectory, [])
            let store = scene.store(.enforce)
            let generation = try store.status().header.generation
            #expect(await code { try await store.acceptRollback(generation: generation) } != nil)
            #expect(await code { try await scene.opened(.passphrase, .enforce) } == .store(.rolledBack))
        }
    }

    @Test("a vault that the person made anew in the same place, or restored, is no other vault") func madeAnew()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let scene = try await Scene(folder)
            try scene.store().backup(to: folder["copy"])
            try await scene.store().erase()
            let store = scene.store(.enforce)
            try await store.initialise(with: [NewSlot(Self.passphrase, cost: VaultBench.cheap)])
            #expect(try await scene.opened(.passphrase, .enforce).lastRollback == nil)
            try await scene.store(.enforce).restore(from: folder["copy"], with: Self.passphrase)
            #expect(try await scene.opened(.passphrase, .enforce).read(Self.key) != nil)
        }
    }
}
