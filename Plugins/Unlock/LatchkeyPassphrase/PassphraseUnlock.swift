public import Latchkey

/// Asks for a passphrase, and opens the store with it.
///
/// | Case | What happens |
/// | --- | --- |
/// | The passphrase opens nothing | `refused(.wrongInput)`; counted if there is a limit |
/// | Too many wrong ones | `unlockUnavailable(.lockedOut)` with the wait; the person is not asked |
/// | The store cannot be read | the store's error; not counted |
/// | The person says no | `declined` |
///
/// The store stretches the passphrase. This type keeps nothing of it.
public struct PassphraseUnlock: KeyReleasing, WithdrawingUnlock, ConfigurationChecking {
    private let typed: TypedKey

    /// Creates an unlock by passphrase.
    ///
    /// - Parameters:
    ///   - limit: How often a wrong passphrase may be typed; `nil` for as often as stretching allows.
    ///   - context: Time, randomness and files. Default: the system.
    ///   - asking: Shows the request, and returns what the person types.
    public init(limit: AttemptLimit? = nil, context: PluginContext = .system, asking: @escaping SecretAsking) {
        typed = TypedKey(kind: .passphrase, limit: limit, context: context, asking: asking)
    }

    /// Begins the count of wrong tries at 0 again.
    public func withdraw() async throws { try await typed.limit?.forget() }

    /// See ``/Latchkey/ConfigurationChecking``.
    public func checkConfiguration() throws(AuthError) { try typed.limit?.checkConfiguration() }

    /// Returns whether a try is left now.
    public func availability() -> UnlockAvailability { typed.availability() }

    /// Throws: only a store can tell whether the passphrase is right.
    public func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant { throw TypedKey.needsStore }

    /// Asks for the passphrase, and passes it to `opening`.
    public func unlock(
        _ prompt: UnlockPrompt, opening: @escaping @Sendable (UnlockKey) async throws -> Void
    ) async throws -> UnlockGrant {
        try await typed.unlock(prompt, method: "passphrase") { try await opening(UnlockKey(.passphrase, $0)) }
    }
}
