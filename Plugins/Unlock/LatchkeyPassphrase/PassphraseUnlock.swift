public import Latchkey

/// Asks for a passphrase, which opens the store.
///
/// | Case | What happens |
/// | --- | --- |
/// | The passphrase opens nothing | `refused(.wrongInput)`; counted where there is a limit |
/// | Too many wrong ones | `unlockUnavailable(.lockedOut)` with the wait, and nobody is asked |
/// | The store cannot be read | the store's error; not counted |
/// | The person says no | `declined` |
///
/// The store stretches the passphrase. Nothing of it is kept.
public struct PassphraseUnlock: KeyReleasing {
    private let typed: TypedKey

    /// An unlock by passphrase.
    ///
    /// - Parameters:
    ///   - limit: How often a wrong one may be typed; `nil`: as often as stretching allows.
    ///   - asking: Shows the request, and brings what is typed.
    public init(limit: AttemptLimit? = nil, context: PluginContext = .system, asking: @escaping SecretAsking) {
        typed = TypedKey(kind: .passphrase, limit: limit, context: context, asking: asking)
    }

    /// Whether a try is left now.
    public func availability() -> UnlockAvailability { typed.availability() }

    /// Refuses: without a store to open, nobody knows whether the passphrase is right.
    public func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant { throw TypedKey.needsStore }

    /// Asks, and lets `opening` try.
    public func unlock(
        _ prompt: UnlockPrompt, opening: @escaping @Sendable (UnlockKey) async throws -> Void
    ) async throws -> UnlockGrant {
        try await typed.unlock(prompt, method: "passphrase") { try await opening(UnlockKey(.passphrase, $0)) }
    }
}
