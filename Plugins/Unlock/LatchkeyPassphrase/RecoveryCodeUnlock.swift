public import Latchkey

/// Asks for the recovery code, which opens the store. As a fallback: a client offers it where the usual way fails.
///
/// A mistyped code is refused as such, by its check, before the store is tried.
public struct RecoveryCodeUnlock: KeyReleasing {
    private let typed: TypedKey

    /// An unlock by recovery code. There is no limit of tries: 160 bits need none.
    ///
    /// - Parameter asking: Shows the request, and brings what is typed.
    public init(context: PluginContext = .system, asking: @escaping SecretAsking) {
        typed = TypedKey(kind: .recoveryCode, limit: nil, context: context, asking: asking)
    }

    /// It can always ask.
    public func availability() -> UnlockAvailability { typed.availability() }

    /// Refuses: without a store to open, nobody knows whether the code is right.
    public func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant { throw TypedKey.needsStore }

    /// Asks, and lets `opening` try.
    public func unlock(
        _ prompt: UnlockPrompt, opening: @escaping @Sendable (UnlockKey) async throws -> Void
    ) async throws -> UnlockGrant {
        try await typed.unlock(prompt, method: "recoveryCode") { try await opening(RecoveryCode(typed: $0).key) }
    }
}
