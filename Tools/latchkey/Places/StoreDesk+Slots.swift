import Latchkey
import LatchkeyAgent
import LatchkeyCrypto
import LatchkeyEncryptedStore
import LatchkeyJSON
import LatchkeySystem
import LatchkeyPassphrase

/// The ways to open the encrypted file.
extension StoreDesk {
    /// Shows the file's header, and the cost of a passphrase.
    func status() async throws -> ExitStatus {
        let report = await places.report()
        guard places.place == .encrypted else {
            try invocation.show(
                ["profile": .string(profile.name), "store": report.json],
                Columns.lines([
                    (texts("label.profile"), profile.name), (texts("label.store"), report.words(texts)),
                ]))
            return .success
        }
        let status = try vault().store().status()
        let header = status.header
        let seconds = await header.slots.firstCost.asyncMap { await Self.seconds(of: $0) }
        var members: [String: JSON] = [
            "profile": .string(profile.name), "store": report.json, "generation": .integer(Int64(header.generation)),
            "size": .integer(Int64(status.size)), "suite": .string("\(header.suite)"),
            "slots": .array(header.slots.map(\.json)),
        ]
        members["unlockSeconds"] = seconds.map { .number($0) }
        try invocation.show(
            .object(members),
            Columns.lines(
                [
                    (texts("label.profile"), profile.name), (texts("label.store"), report.words(texts)),
                    (texts("label.size"), texts("store.size", ["count": "\(status.size)"])),
                    (texts("label.suite"), "\(header.suite)"), (texts("label.generation"), "\(header.generation)"),
                ] + header.slots.map { (texts("store.slot", ["index": "\($0.index)"]), $0.words(texts)) } + [
                    (
                        texts("label.passphrase"),
                        seconds.map { texts("store.cost", ["seconds": Self.rounded($0)]) }
                    ),
                    (
                        texts("label.leftovers"),
                        status.leftovers.isEmpty
                            ? nil : texts("store.leftovers", ["count": "\(status.leftovers.count)"])
                    ),
                    (texts("label.setAside"), status.setAside.isEmpty ? nil : status.setAside.joined(separator: ", ")),
                ]))
        return .success
    }

    /// Measures the time that stretching takes here.
    private static func seconds(of cost: ScryptCost) async -> Double? {
        guard CryptoLibrary.missing == nil else { return nil }
        return await DetachedThread.run { () -> Double? in
            let start = ContinuousClock.now
            guard
                (try? Scrypt.derive(
                    passphrase: Array("passphrase".utf8), salt: Array("salt".utf8), cost: 1 << Int(cost.logN),
                    blockSize: Int(cost.blockSize), parallelization: Int(cost.parallelization), length: 32,
                    memoryLimit: cost.memory * Int(cost.parallelization) + (64 << 10))) != nil
            else { return nil }
            return (ContinuousClock.now - start).inSeconds
        }?.map { $0 }
    }

    private static func rounded(_ seconds: Double) -> String {
        let hundredths = Int((seconds * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }

    /// Adds a way to open it.
    func addSlot() async throws {
        let (arguments, vault) = (invocation.arguments, try vault())
        let store = try await vault.opened()
        let before = Set(try store.status().header.slots.map(\.index))
        var code: RecoveryCode?
        if arguments.has(.recoveryCode) {
            let made = RecoveryCode(context: invocation.world)
            try await store.addSlot(NewSlot(made.key))
            code = made
        } else if arguments.has(.inKeyring) {
            try await addKey("secret-service", "\(profile.name)-vault", vault, store)
        } else if let file = arguments[.keyFile] {
            try await addKey("file", try Self.absolute(file), vault, store)
        } else {
            try await store.addSlot(NewSlot(UnlockKey(.passphrase, try await vault.newPassphrase())))
        }
        let slot = try store.status().header.slots.map(\.index).first { !before.contains($0) }
        try show(code, [texts("store.added", ["index": slot.map { "\($0)" } ?? ""])], slot: slot)
    }

    /// Returns a key holder's key: the existing one, or a new one, which is kept before the file needs it.
    private func addKey(
        _ source: String, _ name: String, _ vault: ProfileVault, _ store: EncryptedFileStore
    ) async throws {
        guard let (holder, short) = vault.holder(source, name) else {
            throw ToolError(.configuration(.invalid), "error.noHolder")
        }
        var key = try await holder.key(short)
        if key == nil {
            let made = Secret(invocation.world.random(32))
            try await holder.keep(made, under: short)
            key = made
        }
        guard let key else { return }
        try await store.addSlot(NewSlot(UnlockKey(.key(source: source), key), name: name))
    }

    /// Removes a way to open it.
    func removeSlot() async throws {
        guard invocation.arguments.operands.count > 1, let index = UInt16(invocation.arguments.operands[1]) else {
            throw UsageError("usage.slotMissing", command: invocation.arguments.command)
        }
        let vault = try vault()
        let store = try await vault.opened()
        guard let slot = try store.status().header.slots.first(where: { $0.index == index }) else {
            throw ToolError(.configuration(.invalid), "error.noSlot", ["slot": "\(index)"])
        }
        try await store.removeSlot(index)
        if case .key("secret-service", let name) = slot.kind, let (holder, short) = vault.holder("secret-service", name)
        {
            // The file is what matters; a key that opens nothing does no harm.
            try? await holder.remove(short)
        }
        try show(nil, [texts("store.removed", ["index": "\(index)"])])
    }

    /// Changes the passphrase, and with `--new-key` the vault's key too.
    func rekey() async throws {
        let vault = try vault()
        let store = try await vault.opened()
        let header = try store.status().header
        guard
            let slot = header.slots.first(where: { if case .passphrase = $0.kind { true } else { false } })
        else { throw ToolError(.configuration(.unsupported), "error.noPassphraseSlot") }
        let new = UnlockKey(.passphrase, try await vault.newPassphrase())
        try await store.replaceSlot(slot.index, by: NewSlot(new))
        guard invocation.arguments.has(.newKey) else { return try show(nil, [texts("store.passphraseChanged")]) }
        var keys = [slot.index: new]
        var dropped: Set<UInt16> = []
        for other in header.slots where other.index != slot.index {
            if case .key(let source, let name) = other.kind, let (holder, short) = vault.holder(source, name),
                let key = try? await holder.key(short)
            {
                keys[other.index] = UnlockKey(.key(source: source), key)
            } else {
                dropped.insert(other.index)
            }
        }
        try await store.rekey(with: keys, dropping: dropped)
        let lost = dropped.sorted().map { "\($0)" }.joined(separator: ", ")
        try show(
            nil,
            [texts("store.rekeyed")]
                + (dropped.isEmpty ? [] : [texts("store.dropped", ["slots": lost])]))
    }

    private static func absolute(_ path: String) throws -> String {
        if path.hasPrefix("/") { return path }
        guard let directory = WorkingDirectory.path else {
            throw UsageError("usage.absolute", ["option": "--key-file"], command: .store)
        }
        return "\(directory)/\(path)"
    }
}

extension [VaultSlot] {
    /// The cost of the first passphrase.
    fileprivate var firstCost: ScryptCost? {
        lazy.compactMap { if case .passphrase(let cost) = $0.kind { cost } else { nil } }.first
    }
}

extension Optional {
    fileprivate func asyncMap<Result>(_ body: (Wrapped) async -> Result?) async -> Result? {
        guard let self else { return nil }
        return await body(self)
    }
}
