import Latchkey
import LatchkeySystem

@testable import LatchkeyEncryptedStore

/// A keeper in whose next reading something else comes between.
final class InterruptedKeeper: VaultKeeper {
    private let keeper: LocalKeeper
    private let between = Locked<(@Sendable () async throws -> Void)?>(nil)

    init(_ keeper: LocalKeeper) { self.keeper = keeper }

    func interrupt(_ body: @escaping @Sendable () async throws -> Void) { between.withLock { $0 = body } }

    func unseal(_ file: [UInt8]) async throws -> Secret {
        let records = try keeper.unseal(file)
        let body = between.withLock { between in
            defer { between = nil }
            return between
        }
        try await body?()
        return records
    }

    func isOpen(_ vault: VaultID) -> Bool { keeper.isOpen(vault) }
    func open(_ file: [UInt8], with key: UnlockKey) async throws -> UInt16 { try await keeper.open(file, with: key) }
    func close(_ vault: VaultID?) { keeper.close(vault) }
    func seal(_ records: Secret, after head: [UInt8], at time: UInt64) throws -> [UInt8] {
        try keeper.seal(records, after: head, at: time)
    }
    func advance(_ records: Secret, after head: [UInt8], to generation: UInt64, at time: UInt64) throws -> [UInt8] {
        try keeper.advance(records, after: head, to: generation, at: time)
    }
    func change(_ change: VaultChange, of file: [UInt8], at time: UInt64) async throws -> [UInt8] {
        try await keeper.change(change, of: file, at: time)
    }
    func create(_ slots: [NewSlot], suite: VaultSuite, at time: UInt64) async throws -> [UInt8] {
        try await keeper.create(slots, suite: suite, at: time)
    }
}
