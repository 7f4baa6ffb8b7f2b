public import Latchkey

/// A key that cannot be copied off this device, and that is given for the right PIN alone: in a TPM, a security key, a
/// secure element. The device counts wrong PINs, and gives no key when there were too many.
public protocol DeviceBoundKey: Sendable {
    /// What it is, for ever: as ``/Latchkey/KeyHolder/source``.
    var source: String { get }

    /// Whether it can be asked now. Never prompts, and costs no try.
    func availability() async -> UnlockAvailability

    /// The key, 32 bytes.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `refused(.wrongInput)` for another PIN; `unlockUnavailable`.
    func key(for pin: Secret) async throws -> Secret
}

/// Asks for a PIN, which a key that cannot be copied checks.
///
/// There is none without such a key: whoever copies a file that a PIN alone protects has tried all PINs in a minute.
public struct PINUnlock<Key: DeviceBoundKey>: KeyReleasing {
    private let key: Key
    private let typed: TypedKey

    /// An unlock by the PIN of `key`.
    ///
    /// - Parameters:
    ///   - limit: Waits between wrong PINs, before the device's own limit is reached.
    ///   - asking: Shows the request, and brings what is typed.
    public init(
        of key: Key, limit: AttemptLimit? = nil, context: PluginContext = .system, asking: @escaping SecretAsking
    ) {
        self.key = key
        typed = TypedKey(kind: .pin, limit: limit, context: context, asking: asking)
    }

    /// Whether the device can be asked, and a try is left.
    public func availability() async -> UnlockAvailability {
        let device = await key.availability()
        return device == .available ? typed.availability() : device
    }

    /// Asks, and lets the device say whether the PIN is right.
    public func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant { try await unlock(prompt) { _ in } }

    /// Asks, and gives the device's key to `opening`.
    public func unlock(
        _ prompt: UnlockPrompt, opening: @escaping @Sendable (UnlockKey) async throws -> Void
    ) async throws -> UnlockGrant {
        try await checkDevice()
        return try await typed.unlock(prompt, method: "pin") { pin in
            try await opening(UnlockKey(.key(source: key.source), key.key(for: pin)))
        }
    }

    private func checkDevice() async throws {
        switch await key.availability() {
        case .available: break
        case .notEnrolled: throw AuthError(.unlockUnavailable(.notEnrolled), "No PIN has been set up.")
        case .lockedOut(let rest):
            throw AuthError(.unlockUnavailable(.lockedOut), "There were too many wrong PINs.", retryAfter: rest)
        case .invalidated:
            throw AuthError(.unlockUnavailable(.invalidated), "The key that the PIN belongs to was made anew.")
        case .missing(let reason): throw AuthError(.unlockUnavailable(.missing), reason)
        @unknown default: throw AuthError(.unlockUnavailable(.missing), "The device cannot be asked.")
        }
    }
}
