public import Latchkey
import LatchkeyEncryptedStore

/// Does everything that a keeper can, with keys in the agent and for its clients.
struct AgentVaults: AgentKeeping {
    let keeper: LocalKeeper

    func open() -> [Secret] { keeper.open.map { Secret($0.description) } }

    func closeAll() { keeper.close(nil) }

    func answer(_ request: AgentMessage) async throws(AuthError) -> AgentMessage {
        do {
            return try await answered(request)
        } catch {
            throw error as? AuthError ?? AuthError(.store(.unavailable), "the agent failed: \(type(of: error))")
        }
    }

    private func answered(_ request: AgentMessage) async throws -> AgentMessage {
        switch request.word {
        case "isOpen":
            let id = try request.part(0).reveal()
            return AgentMessage(keeper.open.contains { $0.bytes == id } ? "open" : "closed")
        case "open":
            let slot = try await keeper.open(
                try request.part(0).reveal(), with: try Self.key(request.parts.dropFirst()))
            return AgentMessage("opened", [AgentMessage.number(UInt64(slot))])
        case "close":
            let id = request.parts.first?.reveal()
            for vault in keeper.open where id == nil || vault.bytes == id { keeper.close(vault) }
            return AgentMessage("closed")
        case "unseal": return AgentMessage("records", [try keeper.unseal(try request.part(0).reveal())])
        case "seal":
            let file = try keeper.seal(
                try request.part(0), after: try request.part(1).reveal(), at: try request.number(2))
            return AgentMessage("sealed", [Secret(file)])
        case "advance":
            let file = try keeper.advance(
                try request.part(0), after: try request.part(1).reveal(), to: try request.number(2),
                at: try request.number(3))
            return AgentMessage("sealed", [Secret(file)])
        case "change":
            let file = try await keeper.change(
                try Self.change(request.parts.dropFirst(2)), of: try request.part(0).reveal(),
                at: try request.number(1))
            return AgentMessage("sealed", [Secret(file)])
        case "create":
            guard let suite = VaultSuite(rawValue: UInt8(truncatingIfNeeded: try request.number(0))) else {
                throw AgentMessage.malformed
            }
            let file = try await keeper.create(
                try Self.slots(request.parts.dropFirst(2)), suite: suite, at: try request.number(1))
            return AgentMessage("sealed", [Secret(file)])
        default: throw AuthError(.configuration(.unsupported), "the agent does not know \"\(request.word)\"")
        }
    }
}

// MARK: Keys and changes as parts

extension AgentVaults {
    /// Encodes a key as three parts: kind, source and secret.
    static func parts(of key: UnlockKey) -> [Secret] {
        switch key.kind {
        case .passphrase: [Secret("passphrase"), Secret(""), key.secret]
        case .recoveryCode: [Secret("recoveryCode"), Secret(""), key.secret]
        case .key(let source): [Secret("key"), Secret(source), key.secret]
        @unknown default: [Secret("unknown"), Secret(""), Secret("")]
        }
    }

    static func key(_ parts: ArraySlice<Secret>) throws(AuthError) -> UnlockKey {
        let parts = Array(parts)
        guard parts.count >= 3 else { throw AgentMessage.malformed }
        switch parts[0].revealText() {
        case "passphrase": return UnlockKey(.passphrase, parts[2])
        case "recoveryCode": return UnlockKey(.recoveryCode, parts[2])
        case "key": return UnlockKey(.key(source: parts[1].revealText()), parts[2])
        default: throw AuthError(.configuration(.unsupported), "the agent does not know such a key")
        }
    }

    /// Encodes a slot as five parts: its key's three, its name and its cost.
    static func parts(of slot: NewSlot) -> [Secret] {
        parts(of: slot.key) + [
            Secret(slot.name), Secret([slot.cost.logN, slot.cost.blockSize, slot.cost.parallelization]),
        ]
    }

    static func slots(_ parts: ArraySlice<Secret>) throws(AuthError) -> [NewSlot] {
        var slots: [NewSlot] = []
        var rest = parts
        while !rest.isEmpty {
            let five = Array(rest.prefix(5))
            guard five.count == 5, five[4].count == 3 else { throw AgentMessage.malformed }
            let cost = five[4].reveal()
            slots.append(
                NewSlot(
                    try key(rest.prefix(3)), name: five[3].revealText(),
                    cost: ScryptCost(logN: cost[0], blockSize: cost[1], parallelization: cost[2])))
            rest = rest.dropFirst(5)
        }
        return slots
    }

    static func parts(of change: VaultChange) -> [Secret] {
        switch change {
        case .add(let slot): return [Secret("add")] + parts(of: slot)
        case .replace(let index, let slot):
            return [Secret("replace"), AgentMessage.number(UInt64(index))] + parts(of: slot)
        case .remove(let index): return [Secret("remove"), AgentMessage.number(UInt64(index))]
        case .rekey(let keys, let dropping):
            let dropped = Secret(dropping.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
            return [Secret("rekey"), dropped]
                + keys.flatMap { [AgentMessage.number(UInt64($0.key))] + parts(of: $0.value) }
        }
    }

    static func change(_ parts: ArraySlice<Secret>) throws(AuthError) -> VaultChange {
        let message = AgentMessage(parts.first?.revealText() ?? "", Array(parts.dropFirst()))
        func slot(after count: Int) throws(AuthError) -> NewSlot {
            guard let slot = try slots(message.parts.dropFirst(count)).first else { throw AgentMessage.malformed }
            return slot
        }
        switch message.word {
        case "add": return .add(try slot(after: 0))
        case "replace": return .replace(UInt16(truncatingIfNeeded: try message.number(0)), by: try slot(after: 1))
        case "remove": return .remove(UInt16(truncatingIfNeeded: try message.number(0)))
        case "rekey":
            let bytes = try message.part(0).reveal()
            guard bytes.count % 2 == 0, (message.parts.count - 1) % 4 == 0 else { throw AgentMessage.malformed }
            let dropping = stride(from: 0, to: bytes.count, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            var keys: [UInt16: UnlockKey] = [:]
            for start in stride(from: 1, to: message.parts.count, by: 4) {
                keys[UInt16(truncatingIfNeeded: try message.number(start))] = try key(message.parts[(start + 1)...])
            }
            return .rekey(keys, dropping: Set(dropping))
        default: throw AgentMessage.malformed
        }
    }
}

extension AgentServer {
    /// Creates an agent at `place` that keeps the keys of vaults for `time`, at most ``longestTime``, and hands out the
    /// access tokens of `tokens`. With `person` it can ask first: ``confirm()``.
    public convenience init(
        at place: AgentPlace, serving tokens: (any AgentTokenServing)? = nil,
        asking person: (any AgentConfirming)? = nil, for time: Duration, context: PluginContext = .system
    ) {
        self.init(
            at: place, keeping: AgentVaults(keeper: LocalKeeper(context: context)), serving: tokens,
            asking: person, for: time, context: context)
    }
}
