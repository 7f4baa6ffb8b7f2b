extension AuthClient.Builder {
    /// Creates the client. Reads and sends nothing.
    ///
    /// - Throws: ``AuthError`` `configuration(.invalid)`, saying what is wrong: no provider, two
    ///   providers with one name, no transport, an authority over plain http on another machine, or
    ///   an unlock policy that the store cannot fulfil.
    public func build() throws(AuthError) -> AuthClient {
        guard !providers.isEmpty else { throw Self.invalid("A client needs at least one provider.") }
        guard let transport else { throw Self.invalid("A client needs a transport, such as .curl().") }
        var named: [ProviderID: any AuthProvider] = [:]
        for provider in providers {
            try check(provider)
            let name = provider.rules.binding.provider
            guard named.updateValue(provider, forKey: name) == nil else {
                throw Self.invalid("Two providers are named \"\(name.name)\"; give one of them another name.")
            }
        }
        var context = context
        context.observer = CompositeObserver([context.observer] + observers)
        var store = store ?? MemoryStore(context: context)
        try check(gate, store)
        var gate = gate
        // Asks the type, not the value: casting an object that does not conform may look for a
        // bridged box, which costs a lookup in Foundation.
        gate.isKeyed = type(of: store) is any LockableStore.Type
        if gate.policy.keeping == .whileEnabled { store = Self.kept(store, context) }
        try checkSettings()
        let services = Services(named, over: transport, store: store, context: context, settings: settings)
        return AuthClient(Engine(services: services, store: store, gate: gate))
    }

    private func check(_ provider: any AuthProvider) throws(AuthError) {
        let binding = provider.rules.binding
        let name = binding.provider.name
        let allowed = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || "._-".utf8.contains($0)
        }
        guard (1...64).contains(name.utf8.count), allowed else {
            throw Self.invalid("A provider's name needs 1 to 64 letters, digits, dots, hyphens or underscores.")
        }
        guard let address = WebAddress(binding.authority), !address.host.isEmpty else {
            throw Self.invalid("The address of the service \"\(name)\" is not an absolute URL.", of: binding.provider)
        }
        guard address.isSecure else {
            throw Self.invalid(
                "The service \"\(name)\" is at \(address.origin), not an https address; only this machine may be reached"
                    + " by plain http.",
                of: binding.provider)
        }
        try (provider as? any ConfigurationChecking)?.checkConfiguration()
    }

    private static func kept(_ store: some SessionStore, _ context: PluginContext) -> any SessionStore {
        KeptStore(store, context: context)
    }

    private func check(_ gate: Gate.Parts, _ store: any SessionStore) throws(AuthError) {
        let locks = type(of: store) is any LockableStore.Type
        guard gate.authenticator != nil else {
            if locks { throw Self.invalid("The store is opened by a key, but no unlock releases one.") }
            return
        }
        for authenticator in [gate.authenticator, gate.fallback].compactMap(\.self) {
            let releases = type(of: authenticator) is any KeyReleasing.Type
            if releases, !locks {
                throw Self.invalid(
                    "The unlock releases a key, but the store cannot be opened by one; take an unlock that releases none, such"
                        + " as PresenceUnlock, or a store such as EncryptedFileStore.")
            }
            try (authenticator as? any ConfigurationChecking)?.checkConfiguration()
            if locks, !releases {
                throw Self.invalid("The store is opened by a key, but no unlock releases one.")
            }
        }
        try gate.policy.checkTimes()
        if locks, gate.policy.enrolment == .offered {
            throw Self.invalid(
                "The store is opened by a key, so the person cannot switch the unlock off; take a store that no key opens,"
                    + " with an unlock that releases none, such as PresenceUnlock.")
        }
        if gate.policy.keeping == .whileEnabled, gate.policy.enrolment != .offered {
            throw Self.invalid("Sessions can be kept while the unlock is enabled only where it can be switched.")
        }
    }

    private func checkSettings() throws(AuthError) {
        if settings.accounts == .whenNamed, gate.authenticator != nil {
            throw Self.invalid(
                "An unlock is for the accounts of one person at a device: with the setting accounts = .whenNamed there can be"
                    + " none.")
        }
        for (name, duration) in [
            ("requestDeadline", settings.requestDeadline), ("lockDeadline", settings.lockDeadline),
            ("familyDeadline", settings.familyDeadline), ("patience", settings.patience),
            ("challengeLifetime", settings.challengeLifetime),
        ] where duration <= .zero {
            throw Self.invalid("The setting \(name) must be longer than zero.")
        }
        for (name, duration) in [
            ("leeway", settings.leeway), ("offlineGrace", settings.offlineGrace),
            ("unexplainedRetry", settings.unexplainedRetry),
        ] where duration < .zero {
            throw Self.invalid("The setting \(name) is negative.")
        }
        if case .handedOut(let least) = settings.staleTokens, least < .zero {
            throw Self.invalid("The setting staleTokens is negative.")
        }
    }

    private static func invalid(_ message: String, of provider: ProviderID? = nil) -> AuthError {
        AuthError(.configuration(.invalid), message, provider: provider)
    }
}
