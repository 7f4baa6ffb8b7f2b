extension AuthClient.Builder {
    /// Makes the client. Reads and sends nothing.
    ///
    /// - Throws: ``AuthError`` `configuration(.invalid)`, naming what is wrong: no provider, two of one name, no
    ///   transport, an authority over plain http that is not this machine, a policy that the store cannot keep.
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
        let store = store ?? MemoryStore(context: context)
        let gate = gate.map { Gate($0.authenticator, reason: $0.reason, policy: $0.policy) } ?? Gate()
        try check(gate, store)
        try checkSettings()
        return AuthClient(
            Engine(
                providers: named, store: store, transport: transport, context: context, settings: settings,
                gate: gate, table: AccountTable(openUntil: gate.initially)))
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
            throw Self.invalid("The authority of provider \"\(name)\" is not an absolute URL.", of: binding.provider)
        }
        guard address.isSecure else {
            throw Self.invalid(
                "The authority of provider \"\(name)\" uses plain http; only this machine may be reached that way.",
                of: binding.provider)
        }
        try (provider as? any ConfigurationChecking)?.checkConfiguration()
    }

    private func check(_ gate: Gate, _ store: any SessionStore) throws(AuthError) {
        // Of the types: a value of a class that is none might be a box of one, which costs a look into Foundation.
        let locks = type(of: store) is any LockableStore.Type
        let releases = gate.authenticator.map { type(of: $0) is any KeyReleasing.Type } ?? false
        if releases, !locks {
            throw Self.invalid("The unlock releases a key, but the store cannot be opened by one.")
        }
        if locks, !releases {
            throw Self.invalid("The store is opened by a key, but no unlock releases one.")
        }
        for (name, duration) in [
            ("afterBackground", gate.policy.afterBackground), ("interval", gate.policy.interval),
        ] where duration.map({ $0 < .zero }) ?? false {
            throw Self.invalid("The unlock policy's \(name) is negative.")
        }
    }

    private func checkSettings() throws(AuthError) {
        for (name, duration) in [
            ("requestDeadline", settings.requestDeadline), ("laneDeadline", settings.laneDeadline),
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
    }

    private static func invalid(_ message: String, of provider: ProviderID? = nil) -> AuthError {
        AuthError(.configuration(.invalid), message, provider: provider)
    }
}
