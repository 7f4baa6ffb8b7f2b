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

    /// Asks a service something that concerns no session, such as its own settings. It needs no account, and may be called
    /// before anybody has signed in. A provider's handle uses it.
    ///
    /// - Parameters:
    ///   - provider: The provider's name.
    ///   - work: Sends the requests, which must spend nothing and carry no credential. All of them end
    ///     ``EngineSettings/requestDeadline`` after the call began, at the latest.
    /// - Throws: ``AuthError`` `configuration(.invalid)` for an unknown provider; what `work` throws, translated.
    public func consult<Result: Sendable>(
        _ provider: ProviderID, _ work: @escaping @Sendable (ProviderContext) async throws -> Result
    ) async throws(AuthError) -> Result {
        let binding = try engine.services.provider(named: provider).rules.binding
        return try await owned("consult") { engine in
            let until = engine.services.clock.now() + engine.services.settings.requestDeadline
            let (context, measured) = engine.services.callContext(binding, until: until)
            let answer: Result
            do { answer = try await work(context) } catch {
                engine.services.learn(measured, context, after: error, of: binding)
                throw error
            }
            engine.services.learn(measured, context, of: binding)
            return answer
        }
    }
}
