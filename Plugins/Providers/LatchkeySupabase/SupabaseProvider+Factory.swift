public import Latchkey

extension AuthProvider where Self == SupabaseProvider {
    /// Signs people in at a Supabase project, hosted or self-hosted with the whole gateway.
    ///
    /// - Parameters:
    ///   - projectURL: The project's address, such as `https://abc.supabase.co`. https, or http to this machine.
    ///   - publishableKey: The key `sb_publishable_…`, or the older `anon` key. A secret key is refused.
    ///   - redirect: Needed only if no presenter receives redirects.
    public static func supabase(
        projectURL: String, publishableKey: String, named name: ProviderID = "supabase", redirect: String? = nil
    ) -> SupabaseProvider {
        let base = projectURL.hasSuffix("/") ? String(projectURL.dropLast()) : projectURL
        let authURL = base.hasSuffix("/auth/v1") ? base : base + "/auth/v1"
        var provider = SupabaseProvider(authURL: authURL, publishableKey: publishableKey, named: name)
        provider.redirect = redirect
        return provider
    }

    /// Signs people in at a self-hosted GoTrue without a gateway in front of it.
    ///
    /// - Parameter authURL: The address of GoTrue itself, such as `http://localhost:9999`.
    public static func supabase(
        authURL: String, publishableKey: String? = nil, named name: ProviderID = "supabase", redirect: String? = nil
    ) -> SupabaseProvider {
        var provider = SupabaseProvider(authURL: authURL, publishableKey: publishableKey, named: name)
        provider.redirect = redirect
        return provider
    }
}
