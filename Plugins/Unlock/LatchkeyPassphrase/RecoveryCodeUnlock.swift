public import Latchkey

/// Asks for the recovery code, and opens the store with it. A client offers it as a fallback if the usual way
/// fails.
///
/// The code's check detects a typing error before the store is tried.
public struct RecoveryCodeUnlock: KeyReleasing {
    private let typed: TypedKey

    /// Creates an unlock by recovery code. It has no limit of tries, because 160 bits cannot be guessed.
    ///
    /// - Parameters:
    ///   - context: Time, randomness and files. Default: the system.
    ///   - asking: Shows the request, and returns what the person types.
    public init(context: PluginContext = .system, asking: @escaping SecretAsking) {
        typed = TypedKey(kind: .recoveryCode, limit: nil, context: context, asking: asking)
    }

    /// Returns `available`.
    public func availability() -> UnlockAvailability { typed.availability() }

    /// Throws: only a store can tell whether the code is right.
    public func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant { throw TypedKey.needsStore }

    /// Asks for the code, and passes it to `opening`.
    public func unlock(
        _ prompt: UnlockPrompt, opening: @escaping @Sendable (UnlockKey) async throws -> Void
    ) async throws -> UnlockGrant {
        try await typed.unlock(prompt, method: "recoveryCode") { try await opening(RecoveryCode(typed: $0).key) }
    }
}
