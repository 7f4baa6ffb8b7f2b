extension AuthClient {
    /// What the providers are and can do, by their names: for screens and tools that offer only what there is.
    public var rules: [ProviderID: ProviderRules] { engine.services.providers.mapValues(\.rules) }

    /// Forgets what the service's provider remembers of this device, such as a trust in it: the next sign-in is one of a
    /// new device. Signed-in accounts stay so.
    ///
    /// - Parameters:
    ///   - provider: The provider's name.
    ///   - account: Whose; `nil`: everybody's, and what belongs to nobody.
    /// - Throws: ``AuthError`` `configuration(.invalid)` for an unknown provider, or a `store` code.
    public func forgetDevice(at provider: ProviderID, account: AccountID? = nil) async throws(AuthError) {
        let binding = try engine.services.provider(named: provider).rules.binding
        try await owned("forget device") { engine in
            try await DeviceMemory(engine.store, of: binding).forget(account)
        }
    }

    /// The provider of that type, for what only it can do: by its name, or the only one of the type.
    ///
    /// - Throws: ``AuthError`` `configuration(.invalid)` when there is none of the name and type, or several and no name.
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
