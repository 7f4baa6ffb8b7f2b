public import Latchkey
import LatchkeyCrypto
import LatchkeySystem

/// Keeps the keys of open vaults in this process's memory, and overwrites them when the vaults are closed.
public final class LocalKeeper: VaultKeeper {
    private struct Held: Sendable {
        var epoch: UInt32
        var key: Secret
    }

    /// The keys, newest first. A vault has two while its key was changed and the new file may not be in place yet.
    private let keys = Locked<[VaultID: [Held]]>([:])
    private let context: PluginContext
    private let stretching: KeyStretching

    /// Creates a keeper without keys.
    public convenience init(context: PluginContext = .system) {
        self.init(context: context, leastLogN: ScryptCost.least.logN)
    }

    /// Creates a keeper that also accepts passphrases of a lower cost, for tests.
    package init(context: PluginContext, leastLogN: UInt8) {
        self.context = context
        stretching = KeyStretching(floor: leastLogN)
    }

    /// See ``VaultKeeper``.
    public func isOpen(_ vault: VaultID) -> Bool { keys.withLock { $0[vault] != nil } }

    /// The vaults that are open.
    public var open: [VaultID] { keys.withLock { Array($0.keys) } }

    /// See ``VaultKeeper``.
    public func close(_ vault: VaultID?) {
        keys.withLock { keys in
            if let vault { keys[vault] = nil } else { keys = [:] }
        }
    }

    /// See ``VaultKeeper``.
    @discardableResult
    public func open(_ file: [UInt8], with key: UnlockKey) async throws -> UInt16 {
        if let missing = CryptoLibrary.missing { throw AuthError(missing) }
        let (header, _) = try VaultFileWire.open(file)
        guard let (slot, vaultKey) = try await find(key, in: header) else { throw Self.wrong(key.kind) }
        try VaultSealing.check(header, with: vaultKey)
        keys.withLock { $0[header.id] = [Held(epoch: header.epoch, key: vaultKey)] }
        return slot.index
    }

    /// Finds the slot that `key` opens, and the vault's key.
    ///
    /// Whoever writes the file chooses how many slots it has and what each costs. So the cheap ones come first, and a
    /// passphrase is tried for no longer in all than the most expensive slot takes.
    func find(_ key: UnlockKey, in header: VaultHeader) async throws -> (VaultSlot, Secret)? {
        guard !key.secret.isEmpty else { return nil }
        var problem: AuthError?
        var rest = ScryptCost.most.work
        for slot in header.slots.sorted(by: { ($0.work, $0.index) < ($1.work, $1.index) }) {
            do {
                if key.kind == .passphrase {
                    guard slot.work <= rest else { throw Self.tooMuch }
                    rest -= slot.work
                }
                guard let wrapping = try await stretching.wrappingKey(for: slot, from: key) else { continue }
                if let vaultKey = try VaultSealing.unwrap(slot, with: wrapping, of: header) { return (slot, vaultKey) }
            } catch let error as AuthError where error.code == .store(.newerVersion) {
                // Another slot may be the one that `key` opens.
                problem = error
            }
        }
        if let problem { throw problem }
        return nil
    }

    private static let tooMuch = AuthError(
        .store(.newerVersion), "the vault's slots for passphrases ask for more than this version takes together")

    private static func wrong(_ kind: UnlockKey.Kind) -> AuthError {
        switch kind {
        case .passphrase: AuthError(.refused(.wrongInput), "the passphrase is wrong")
        case .recoveryCode: AuthError(.refused(.wrongInput), "the recovery code is wrong")
        case .key(let source): AuthError(.refused(.wrongInput), "the key of \(source) does not open the vault")
        @unknown default: AuthError(.refused(.wrongInput), "the key does not open the vault")
        }
    }

    private func key(of header: VaultHeader) throws(AuthError) -> Secret {
        guard let held = keys.withLock({ $0[header.id] }) else { throw AuthError(.locked, "the vault is locked") }
        guard let fitting = held.first(where: { $0.epoch == header.epoch }) else {
            throw AuthError(.locked, "the vault has another key since it was opened; open it again")
        }
        try VaultSealing.check(header, with: fitting.key)
        return fitting.key
    }

    /// See ``VaultKeeper``.
    public func unseal(_ file: [UInt8]) throws -> Secret {
        if let missing = CryptoLibrary.missing { throw AuthError(missing) }
        let (header, body) = try VaultFileWire.open(file)
        return try VaultSealing.unseal(body, of: header, with: try key(of: header))
    }

    /// See ``VaultKeeper``.
    public func seal(_ records: Secret, after head: [UInt8], at time: UInt64) throws -> [UInt8] {
        if let missing = CryptoLibrary.missing { throw AuthError(missing) }
        let header = try VaultFileWire.openHead(head)
        return try next(header, records, slots: header.slots, key: try key(of: header), at: time)
    }

    /// See ``VaultKeeper``.
    public func advance(
        _ records: Secret, after head: [UInt8], to generation: UInt64, at time: UInt64
    ) throws -> [UInt8] {
        if let missing = CryptoLibrary.missing { throw AuthError(missing) }
        let header = try VaultFileWire.openHead(head)
        guard generation > header.generation, generation < .max >> 1 else {
            throw AuthError(.configuration(.invalid), "a vault's generation only grows")
        }
        return try VaultSealing.seal(
            records, suite: header.suite, id: header.id, generation: generation, epoch: header.epoch, writtenAt: time,
            slots: header.slots, with: try key(of: header), salt: context.random(32))
    }

    private func next(
        _ header: VaultHeader, _ records: Secret, slots: [VaultSlot], key: Secret, epoch: UInt32? = nil, at time: UInt64
    ) throws(AuthError) -> [UInt8] {
        try VaultSealing.seal(
            records, suite: header.suite, id: header.id, generation: header.generation + 1,
            epoch: epoch ?? header.epoch, writtenAt: time, slots: slots, with: key, salt: context.random(32))
    }

    /// See ``VaultKeeper``.
    public func create(_ slots: [NewSlot], suite: VaultSuite, at time: UInt64) async throws -> [UInt8] {
        if let missing = CryptoLibrary.missing { throw AuthError(missing) }
        guard (1...VaultFileWire.mostSlots).contains(slots.count) else {
            throw AuthError(.configuration(.invalid), "a vault has 1 to 16 slots")
        }
        let id = VaultID(context.random(16))
        let key = Secret(context.random(32))
        var made: [VaultSlot] = []
        for slot in slots {
            made.append(
                try await self.slot(slot, index: UInt16(made.count), key, suite: suite, id: id, epoch: 1))
        }
        var plain = VaultBody().plain()
        defer { Wiping.wipe(&plain) }
        let file = try VaultSealing.seal(
            Secret(plain), suite: suite, id: id, generation: 1, epoch: 1, writtenAt: time, slots: made, with: key,
            salt: context.random(32))
        keys.withLock { $0[id] = [Held(epoch: 1, key: key)] }
        return file
    }

    private func slot(
        _ new: NewSlot, index: UInt16, _ key: Secret, suite: VaultSuite, id: VaultID, epoch: UInt32
    ) async throws -> VaultSlot {
        try check(new)
        let kind: VaultSlot.Kind =
            switch new.key.kind {
            case .passphrase: .passphrase(new.cost)
            case .recoveryCode: .recoveryCode
            case .key(let source): .key(source: source, name: new.name)
            @unknown default: throw AuthError(.configuration(.unsupported), "a vault cannot have such a key")
            }
        let salt = context.random(32)
        let blank = VaultSlot(
            index: index, kind: kind, type: kind.wire.type, flags: 0, parameters: kind.wire.parameters, salt: salt,
            commitment: [], wrapped: [])
        guard let wrapping = try await stretching.wrappingKey(for: blank, from: new.key) else {
            throw AuthError(.configuration(.unsupported), "a vault cannot have such a key")
        }
        return try VaultSealing.wrap(
            key, with: wrapping, kind: kind, index: index, salt: salt, suite: suite, id: id, epoch: epoch)
    }

    private func check(_ new: NewSlot) throws(AuthError) {
        guard !new.key.secret.isEmpty else { throw AuthError(.configuration(.invalid), "the key is empty") }
        switch new.key.kind {
        case .passphrase:
            guard new.cost.isTaken(from: stretching.floor) else {
                throw AuthError(.configuration(.invalid), "scrypt's cost goes from 15 to 20, with r 8 and p 1 to 4")
            }
        case .key(let source):
            guard new.key.secret.count == 32 else {
                throw AuthError(.configuration(.invalid), "a holder's key has 32 bytes")
            }
            guard !source.isEmpty, source.utf8.count <= 64, new.name.utf8.count <= 1_024,
                !source.utf8.contains(0), !new.name.utf8.contains(0)
            else { throw AuthError(.configuration(.invalid), "the key's source or name has the wrong form") }
        default:
            guard new.key.secret.count >= 16 else {
                throw AuthError(.configuration(.invalid), "a recovery code has 16 bytes or more")
            }
        }
    }

    /// See ``VaultKeeper``.
    public func change(_ change: VaultChange, of file: [UInt8], at time: UInt64) async throws -> [UInt8] {
        if let missing = CryptoLibrary.missing { throw AuthError(missing) }
        let (header, body) = try VaultFileWire.open(file)
        let key = try key(of: header)
        let records = try VaultSealing.unseal(body, of: header, with: key)
        var slots = header.slots
        func place(_ index: UInt16) throws(AuthError) -> Int {
            guard let place = slots.firstIndex(where: { $0.index == index }) else {
                throw AuthError(.configuration(.invalid), "the vault has no slot \(index)")
            }
            return place
        }
        switch change {
        case .add(let new):
            guard slots.count < VaultFileWire.mostSlots else {
                throw AuthError(.configuration(.invalid), "the vault has 16 slots, which is the most")
            }
            let index = (UInt16(0)...).first { index in !slots.contains { $0.index == index } } ?? 0
            slots.append(
                try await slot(new, index: index, key, suite: header.suite, id: header.id, epoch: header.epoch))
        case .replace(let index, let new):
            let place = try place(index)
            slots[place] = try await slot(
                new, index: index, key, suite: header.suite, id: header.id, epoch: header.epoch)
        case .remove(let index):
            let place = try place(index)
            guard slots.count > 1 else {
                throw AuthError(.configuration(.invalid), "nobody could open the vault without its last slot")
            }
            slots.remove(at: place)
        case .rekey(let offered, let dropping):
            return try await rekey(header, records, offered, dropping: dropping, at: time)
        }
        return try next(header, records, slots: slots, key: key, at: time)
    }

    private func rekey(
        _ header: VaultHeader, _ records: Secret, _ offered: [UInt16: UnlockKey], dropping: Set<UInt16>, at time: UInt64
    ) async throws -> [UInt8] {
        let key = Secret(context.random(32))
        let epoch = header.epoch + 1
        var slots: [VaultSlot] = []
        var absent: [UInt16] = []
        for slot in header.slots where !dropping.contains(slot.index) {
            guard let offer = offered[slot.index],
                let wrapping = try await stretching.wrappingKey(for: slot, from: offer),
                try VaultSealing.unwrap(slot, with: wrapping, of: header) != nil
            else {
                absent.append(slot.index)
                continue
            }
            let salt = context.random(32)
            let blank = VaultSlot(
                index: slot.index, kind: slot.kind, type: slot.type, flags: slot.flags, parameters: slot.parameters,
                salt: salt, commitment: [], wrapped: [])
            // The new slot has another salt, and so the same passphrase gives another wrapping key.
            guard let fresh = try await stretching.wrappingKey(for: blank, from: offer) else { continue }
            slots.append(
                try VaultSealing.wrap(
                    key, with: fresh, kind: slot.kind, index: slot.index, salt: salt, suite: header.suite,
                    id: header.id, epoch: epoch))
        }
        guard absent.isEmpty else {
            let list = absent.map { "\($0)" }.joined(separator: ", ")
            throw AuthError(
                .refused(.other), "a new key needs the keys of the slots \(list), or that they are dropped")
        }
        guard !slots.isEmpty else {
            throw AuthError(.configuration(.invalid), "nobody could open the vault without its last slot")
        }
        let file = try next(header, records, slots: slots, key: key, epoch: epoch, at: time)
        // Keep both keys: the file with the new one may never be put in place.
        keys.withLock { $0[header.id] = [Held(epoch: epoch, key: key)] + ($0[header.id] ?? []).prefix(1) }
        return file
    }
}
