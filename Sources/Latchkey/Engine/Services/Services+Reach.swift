/// How far revocations reach.
extension Services {
    /// Whether the revocation of `revoked` may end `kept`: it carries the same session on, or the provider cannot rule
    /// it out.
    func revoking(_ revoked: Credential, mayEnd kept: Credential) -> Bool {
        if kept.goesOn(revoked) { return true }
        guard kept.binding == revoked.binding,
            let provider = named(in: kept.binding) as? any RevocationReaching
        else { return false }
        return kept.sessions.contains { kept in
            revoked.sessions.contains { provider.revoking($0, mayEnd: kept) }
        }
    }

    /// Whether a revocation at the provider's service may end other sessions than its own.
    func reachesFurther(_ provider: any AuthProvider) -> Bool {
        provider.rules.revocationEndsEveryGrant || (provider as? any RevocationReaching)?.mayReachFurther == true
    }

    /// The keys, beside the account's own, of records that may hold a session of the same person: a sign-in that names
    /// nobody may be anybody's.
    ///
    /// - Parameter listed: Every key of the store.
    func keysBeside(
        _ account: AccountID, of binding: ProviderBinding, listed: () async throws -> [StoreKey]
    ) async -> [StoreKey] {
        let unnamed = AccountID(unnamedAt: binding)
        guard account == unnamed else { return [StoreKey(.credential, unnamed.value)] }
        let prefix = "\(binding.provider.name) \(binding.authority) "
        return ((try? await listed()) ?? []).filter { $0.name.hasPrefix(prefix) && $0.name != unnamed.value }
    }
}

extension Credential {
    /// Whether it carries on a session of `other`, so that revoking that one would end this one: one that two processes
    /// took over from another client at once, or one that the service gave the same token again.
    func goesOn(_ other: Credential) -> Bool {
        guard binding == other.binding else { return false }
        if let refreshToken, refreshToken == other.refreshToken, !isShared, !other.isShared { return true }
        return sessions.contains { session in
            other.sessions.contains { $0.id == session.id || $0.hasToken(of: session) }
        }
    }
}

extension AuthSession {
    fileprivate func hasToken(of other: AuthSession) -> Bool {
        tokens.values.contains { token in other.tokens.values.contains { $0.value == token.value } }
    }
}
