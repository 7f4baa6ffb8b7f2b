extension AuthClient {
    /// The provider of that type, for what only it can do: by its name, or the only one of the type.
    ///
    /// - Throws: ``AuthError`` `configuration(.invalid)` when there is none of the name and type, or several and no name.
    public func provider<Provider: AuthProvider>(
        _ type: Provider.Type, named name: ProviderID? = nil
    ) throws(AuthError) -> Provider {
        let found = engine.providers.filter { name == nil || $0.key == name }.compactMap { $0.value as? Provider }
        if let only = found.first, found.count == 1 { return only }
        let which = name.map { " named \"\($0.name)\"" } ?? ""
        throw AuthError(
            .configuration(.invalid),
            found.isEmpty
                ? "No \(Provider.self)\(which) is configured."
                : "\(found.count) providers of the type \(Provider.self) are configured; name one.")
    }
}
