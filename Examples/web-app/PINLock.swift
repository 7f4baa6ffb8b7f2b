import Latchkey
import LatchkeyCrypto
import LatchkeyWebSignIn

/// A lock by a PIN, for a browser that several people use: the session stays, and its pages need the PIN.
///
/// The server checks the PIN and counts the tries, so that few digits are enough. The first PIN that is typed is the
/// one that counts, until the lock is switched off.
struct PINLock: UnlockAuthenticator {
    private static let key = StoreKey(.settings, "pin")
    private static let tries = 5
    /// The bytes of salt and of the stretched PIN; one more counts the wrong tries.
    private static let lengths = (salt: 16, hash: 32)

    let store: any SessionStore
    let proof: TypedProof
    var context = PluginContext.system

    func availability() -> UnlockAvailability { .available }

    func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant {
        guard let typed = proof.next() else { throw AuthError(.declined, "Nobody typed a PIN.") }
        guard (4...64).contains(typed.count) else {
            throw AuthError(.refused(.wrongInput), "The PIN is shorter than four digits.")
        }
        let stored = try await store.read(Self.key)
        guard let stored, stored.bytes.count == 49 else {
            let salt = context.random(Self.lengths.salt)
            try await store.replace(Self.key, at: stored?.version, with: salt + (try Self.stretch(typed, salt)) + [0])
            return UnlockGrant(provenAt: context.clock.now(), method: "pin")
        }
        var bytes = stored.bytes
        guard bytes[48] < Self.tries else {
            throw AuthError(.unlockUnavailable(.lockedOut), "There were too many wrong PINs.")
        }
        // Counted before it is judged, so that a race gains no try.
        bytes[48] += 1
        let version = try await store.replace(Self.key, at: stored.version, with: bytes)
        guard constantTimeEqual(try Self.stretch(typed, Array(bytes[..<16])), Array(bytes[16..<48])) else {
            throw AuthError(.refused(.wrongInput), "The PIN is wrong.")
        }
        bytes[48] = 0
        try await store.replace(Self.key, at: version, with: bytes)
        return UnlockGrant(provenAt: context.clock.now(), method: "pin")
    }

    private static func stretch(_ pin: Secret, _ salt: [UInt8]) throws -> [UInt8] {
        try Scrypt.derive(
            passphrase: pin.reveal(), salt: salt, cost: 1 << 14, blockSize: 8, parallelization: 1, length: lengths.hash,
            memoryLimit: 64 << 20)
    }
}
