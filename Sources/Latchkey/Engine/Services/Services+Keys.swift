/// Where credentials are stored: one for each account, or one for all people of a provider who share it.
extension Services {
    /// The key of the credential that all accounts of the provider share.
    func sharedKey(_ rules: ProviderRules) -> StoreKey {
        let binding = rules.binding
        return StoreKey(.credential, "\(binding.provider.name) \(binding.authority) client \(binding.client)")
    }

    /// The keys of the credentials that people share.
    var sharedKeys: Set<StoreKey> {
        Set(providers.values.map(\.rules).filter(\.sharesCredential).map(sharedKey))
    }

    /// The provider whose people share credentials, if `key` is one of its keys: that of the shared
    /// credential or, if a sign-in was on a client of its own, that of one account.
    func sharing(_ key: StoreKey) -> (any AuthProvider)? {
        guard key.kind == .credential else { return nil }
        return providers.values.first { provider in
            let rules = provider.rules
            return rules.sharesCredential
                && key.name.hasPrefix("\(rules.binding.provider.name) \(rules.binding.authority) ")
        }
    }

    /// Whether `key` belongs to one account, of a provider whose people share a credential otherwise.
    func isOwn(_ key: StoreKey) -> Bool { sharing(key).map { sharedKey($0.rules) != key } ?? false }

    /// The keys under which the credential of `account` may be stored.
    func keys(of account: AccountID) -> [StoreKey] {
        let own = StoreKey(.credential, account.value)
        return sharing(own).map { [sharedKey($0.rules), own] } ?? [own]
    }

    /// The key under which revocations take turns with the exchanges that grant anew, if a
    /// revocation may end other grants of the person, new ones included; else `nil`.
    func grantsKey(_ provider: any AuthProvider) -> StoreKey? {
        guard reachesFurther(provider) else { return nil }
        let binding = provider.rules.binding
        return StoreKey(.settings, "grants \(binding.provider.name) \(binding.authority) \(binding.client)")
    }

    /// The configured binding that `account` belongs to.
    func binding(of account: AccountID) -> ProviderBinding? {
        providers.values.map(\.rules.binding).first {
            account.value.hasPrefix("\($0.provider.name) \($0.authority) ")
        }
    }
}
