import Latchkey
import LatchkeyCrypto
import LatchkeySystem

@_spi(_Unicode) import Swift

/// Derives the key that wraps a vault's key from a passphrase, a recovery code or a holder's key.
struct KeyStretching: Sendable {
    /// The lowest logN that is accepted: 15, and less in tests.
    let floor: UInt8

    /// Returns the key that `key` gives for `slot`; `nil` if they are of different kinds.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.newerVersion)` for a cost that is not accepted; `CancellationError` at
    ///   once, while the thread goes on.
    func wrappingKey(for slot: VaultSlot, from key: UnlockKey) async throws -> Secret? {
        switch (slot.kind, key.kind) {
        case (.passphrase(let cost), .passphrase):
            guard cost.isTaken(from: floor) else {
                throw AuthError(.store(.newerVersion), "a passphrase's slot asks for more than this version takes")
            }
            return try await stretch(key.secret, salt: slot.salt, cost)
        case (.key(let source, _), .key(let offered)) where source == offered: return key.secret
        case (.recoveryCode, .recoveryCode): return key.secret
        default: return nil
        }
    }

    /// Stretches the passphrase on its own thread, because that takes a third of a second on purpose.
    private func stretch(_ passphrase: Secret, salt: [UInt8], _ cost: ScryptCost) async throws -> Secret {
        let stretched = try await DetachedThread.runUnlessCancelled {
            var bytes = Self.composed(passphrase)
            defer { Wiping.wipe(&bytes) }
            guard
                var derived = try? Scrypt.derive(
                    passphrase: bytes, salt: Array("latchkey/v1/scrypt".utf8) + salt, cost: 1 << Int(cost.logN),
                    blockSize: Int(cost.blockSize), parallelization: Int(cost.parallelization), length: 32,
                    memoryLimit: cost.memory * Int(cost.parallelization) + (64 << 10))
            else { return nil as Secret? }
            defer { Wiping.wipe(&derived) }
            return Secret(derived)
        }
        guard let secret = stretched.flatMap(\.self) else {
            throw AuthError(
                .store(.unavailable), "the memory to stretch the passphrase, \(cost.memory >> 20) MiB, is not there")
        }
        return secret
    }

    /// Returns the bytes of a passphrase in the composed form NFC (Unicode Standard Annex 15), so that every
    /// keyboard gives the same bytes. Bytes that are not UTF-8 are used as they are.
    static func composed(_ passphrase: Secret) -> [UInt8] {
        var bytes = passphrase.reveal()
        guard bytes.contains(where: { $0 >= 0x80 }), let text = String(validating: bytes, as: UTF8.self) else {
            return bytes
        }
        Wiping.wipe(&bytes)
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text._nfc)
        return Array(String(scalars).utf8)
    }
}
