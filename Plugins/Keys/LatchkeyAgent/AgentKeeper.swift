public import Latchkey
public import LatchkeyEncryptedStore

/// A ``/LatchkeyEncryptedStore/VaultKeeper`` that leaves the keys in an agent. This process never has them.
///
/// The vault's content does pass through this process, which needs it.
public struct AgentKeeper: VaultKeeper {
    /// The agent's client.
    public let agent: AgentClient

    /// Creates a keeper that asks `agent`.
    public init(_ agent: AgentClient) { self.agent = agent }

    /// See ``/LatchkeyEncryptedStore/VaultKeeper``. If no agent runs, no vault is open.
    public func isOpen(_ vault: VaultID) async -> Bool {
        guard let answer = try? await agent.ask(AgentMessage("isOpen", [Secret(vault.bytes)])) else { return false }
        return answer.word == "open"
    }

    /// See ``/LatchkeyEncryptedStore/VaultKeeper``.
    @discardableResult
    public func open(_ file: [UInt8], with key: UnlockKey) async throws -> UInt16 {
        let answer = try await agent.ask(AgentMessage("open", [Secret(file)] + AgentVaults.parts(of: key)))
        return UInt16(truncatingIfNeeded: try answer.number(0))
    }

    /// See ``/LatchkeyEncryptedStore/VaultKeeper``.
    public func close(_ vault: VaultID?) async {
        _ = try? await agent.ask(AgentMessage("close", vault.map { [Secret($0.bytes)] } ?? []))
    }

    /// See ``/LatchkeyEncryptedStore/VaultKeeper``.
    public func unseal(_ file: [UInt8]) async throws -> Secret {
        try await agent.ask(AgentMessage("unseal", [Secret(file)])).part(0)
    }

    /// See ``/LatchkeyEncryptedStore/VaultKeeper``.
    public func seal(_ records: Secret, after head: [UInt8], at time: UInt64) async throws -> [UInt8] {
        try await agent.ask(AgentMessage("seal", [records, Secret(head), AgentMessage.number(time)])).part(0).reveal()
    }

    /// See ``/LatchkeyEncryptedStore/VaultKeeper``.
    public func advance(
        _ records: Secret, after head: [UInt8], to generation: UInt64, at time: UInt64
    ) async throws -> [UInt8] {
        let numbers = [AgentMessage.number(generation), AgentMessage.number(time)]
        return try await agent.ask(AgentMessage("advance", [records, Secret(head)] + numbers)).part(0).reveal()
    }

    /// See ``/LatchkeyEncryptedStore/VaultKeeper``.
    public func change(_ change: VaultChange, of file: [UInt8], at time: UInt64) async throws -> [UInt8] {
        let parts = [Secret(file), AgentMessage.number(time)] + AgentVaults.parts(of: change)
        return try await agent.ask(AgentMessage("change", parts)).part(0).reveal()
    }

    /// See ``/LatchkeyEncryptedStore/VaultKeeper``.
    public func create(_ slots: [NewSlot], suite: VaultSuite, at time: UInt64) async throws -> [UInt8] {
        let parts = [AgentMessage.number(UInt64(suite.rawValue)), AgentMessage.number(time)]
        return try await agent.ask(AgentMessage("create", parts + slots.flatMap(AgentVaults.parts(of:)))).part(0)
            .reveal()
    }
}
