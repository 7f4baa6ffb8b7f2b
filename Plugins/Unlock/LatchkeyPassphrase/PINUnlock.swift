public import Latchkey

/// A key that cannot be copied off this device and is released only for the right PIN, as by a TPM, a security key
/// or a secure element. The device counts wrong PINs, and releases no key after too many.
public protocol DeviceBoundKey: Sendable {
    /// The name of the device's kind, which must never change, as in ``/Latchkey/KeyHolder/source``.
    var source: String { get }

    /// Returns whether the device can be asked now. Never prompts, and costs no try.
    func availability() async -> UnlockAvailability

    /// Returns the key, 32 bytes.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `refused(.wrongInput)` for a wrong PIN; `unlockUnavailable`.
    func key(for pin: Secret) async throws -> Secret
}

/// Asks for a PIN, and lets a key that cannot be copied check it.
///
/// A PIN needs such a key: someone who copies a file that only a PIN protects can try all PINs in a minute.
public struct PINUnlock<Key: DeviceBoundKey>: KeyReleasing, WithdrawingUnlock, ConfigurationChecking {
    private let key: Key
    private let typed: TypedKey

    /// Creates an unlock by the PIN of `key`.
    ///
    /// - Parameters:
    ///   - key: A key that only the right PIN releases.
    ///   - limit: The waits between wrong PINs, in addition to the device's own limit.
    ///   - context: Time, randomness and files. Default: the system.
    ///   - asking: Shows the request, and returns what the person types.
    public init(
        of key: Key, limit: AttemptLimit? = nil, context: PluginContext = .system, asking: @escaping SecretAsking
    ) {
        self.key = key
        typed = TypedKey(kind: .pin, limit: limit, context: context, asking: asking)
    }

    /// Begins the count of wrong tries at 0 again.
    public func withdraw() async throws { try await typed.limit?.forget() }

    /// See ``/Latchkey/ConfigurationChecking``.
    public func checkConfiguration() throws(AuthError) { try typed.limit?.checkConfiguration() }

    /// Returns whether the device can be asked and a try is left.
    public func availability() async -> UnlockAvailability {
        let device = await key.availability()
        return device == .available ? typed.availability() : device
    }

    /// Asks for the PIN, and lets the device check it.
    public func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant { try await unlock(prompt) { _ in } }

    /// Asks for the PIN, and passes the device's key to `opening`.
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
