extension AuthClient {
    /// Each provider's rules, by provider name. Screens and tools use them to offer only what the
    /// providers can do.
    public var rules: [ProviderID: ProviderRules] { engine.services.providers.mapValues(\.rules) }

    /// Deletes what the provider remembers about this device, such as the service's trust in it.
    /// The service then treats the next sign-in as one from a new device. Accounts stay signed in.
    ///
    /// - Parameters:
    ///   - provider: The provider's name.
    ///   - account: The account to forget; `nil` means every account, and data that belongs to no account.
    /// - Throws: ``AuthError`` `configuration(.invalid)` for an unknown provider, or a `store` code.
    public func forgetDevice(at provider: ProviderID, account: AccountID? = nil) async throws(AuthError) {
        let binding = try engine.services.provider(named: provider).rules.binding
        try await owned("forget device") { engine in
            try await DeviceMemory(engine.store, of: binding).forget(account)
        }
    }

    /// Returns the provider of type `type`, so that you can call what only that provider offers.
    /// Without a name, there must be exactly one provider of this type.
    ///
    /// - Throws: ``AuthError`` `configuration(.invalid)` if no provider has this name and type,
    ///   or if several have the type and you give no name.
    public func provider<Provider: AuthProvider>(
        _ type: Provider.Type, named name: ProviderID? = nil
    ) throws(AuthError) -> Provider {
        let found = engine.services.providers.filter { name == nil || $0.key == name }.compactMap {
            $0.value as? Provider
        }
        if let only = found.first, found.count == 1 { return only }
        let which = name.map { " named \"\($0.name)\"" } ?? ""
        throw AuthError(
            .configuration(.invalid),
            found.isEmpty
                ? "No \(Provider.self)\(which) is configured."
                : "\(found.count) providers of the type \(Provider.self) are configured; name one.")
    }
}
