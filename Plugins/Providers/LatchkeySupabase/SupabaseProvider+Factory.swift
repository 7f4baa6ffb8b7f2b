public import Latchkey

extension AuthProvider where Self == SupabaseProvider {
    /// A project, hosted or with the whole gateway of one's own.
    ///
    /// - Parameters:
    ///   - projectURL: Such as `https://abc.supabase.co`. https, or http to this machine.
    ///   - publishableKey: `sb_publishable_…`, or the older `anon` key. A secret key is refused.
    ///   - redirect: Needed only where no presenter receives redirects.
    public static func supabase(
        projectURL: String, publishableKey: String, named name: ProviderID = "supabase", redirect: String? = nil
    ) -> SupabaseProvider {
        let base = projectURL.hasSuffix("/") ? String(projectURL.dropLast()) : projectURL
        let authURL = base.hasSuffix("/auth/v1") ? base : base + "/auth/v1"
        var provider = SupabaseProvider(authURL: authURL, publishableKey: publishableKey, named: name)
        provider.redirect = redirect
        return provider
    }

    /// A GoTrue of one's own, without a gateway before it.
    ///
    /// - Parameter authURL: Where it is itself, such as `http://localhost:9999`.
    public static func supabase(
        authURL: String, publishableKey: String? = nil, named name: ProviderID = "supabase", redirect: String? = nil
    ) -> SupabaseProvider {
        var provider = SupabaseProvider(authURL: authURL, publishableKey: publishableKey, named: name)
        provider.redirect = redirect
        return provider
    }
}
