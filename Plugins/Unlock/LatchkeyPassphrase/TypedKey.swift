import Latchkey

/// The common part of the authenticators of this module: ask, count, try.
struct TypedKey: Sendable {
    let kind: SecretRequest.Kind
    let limit: AttemptLimit?
    let context: PluginContext
    let asking: SecretAsking

    func availability() -> UnlockAvailability {
        guard let limit else { return .available }
        do {
            guard let rest = try limit.rest() else { return .available }
            return .lockedOut(rest)
        } catch let error as AuthError {
            return .missing(reason: error.message)
        } catch {
            return .missing(reason: "the count of wrong tries cannot be read")
        }
    }

    /// Asks the person, and passes what they typed to `attempt`, which counts as a try.
    func unlock(
        _ prompt: UnlockPrompt, method: String, attempt: @Sendable (Secret) async throws -> Void
    ) async throws -> UnlockGrant {
        // Checked first, so that a person who is locked out is not asked.
        try await limit?.settle()
        if let rest = try limit?.rest() { throw AttemptLimit.lockedOut(rest) }
        try Task.checkCancellation()
        guard let typed = try await asking(SecretRequest(kind, reason: prompt.reason)) else {
            throw AuthError(.declined, "The person said no.")
        }
        try Task.checkCancellation()
        guard !typed.isEmpty else { throw AuthError(.refused(.wrongInput), "Nothing was typed.") }
        if let limit { try await limit.attempt { try await attempt(typed) } } else { try await attempt(typed) }
        return UnlockGrant(provenAt: context.clock.now(), method: method)
    }

    /// The error without a store, because only a store can tell whether the input is right.
    static var needsStore: AuthError {
        AuthError(
            .configuration(.invalid), "What is typed proves nothing by itself; give the client a store that it opens.")
    }
}
