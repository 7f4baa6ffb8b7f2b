import Latchkey
import LatchkeyClerk
import LatchkeyCurl
import LatchkeyOAuth
import LatchkeyOAuthCore
import LatchkeySupabase

/// The plugins of the tool. This is the only place that names plugins, together with ``Presenters`` and
/// ``SecurityLogs``, and with ``SupabaseDesk`` for what only one plugin can do.
enum Composition {
    /// Returns the provider's name in the client of `profile`.
    static func provider(of profile: Profile) -> ProviderID {
        switch profile.service {
        case .supabase: supabase
        case .clerk: clerk
        case .oauth, .unknown: oauth
        }
    }

    /// The name of the provider for OAuth.
    static let oauth: ProviderID = "oauth"

    /// The name of the provider for Supabase.
    static let supabase: ProviderID = "supabase"

    /// The name of the provider for Clerk.
    static let clerk: ProviderID = "clerk"

    /// Returns the issuers of the tenants that share the profile's issuer; `nil` if there are none.
    static func issuerTemplate(of profile: Profile) -> IssuerTemplate? {
        OAuthProvider.issuerTemplate(of: profile.issuer)
    }

    /// Returns the directory for the sessions of `profile`.
    static func directory(for profile: Profile, in invocation: Invocation) throws -> String {
        try DataFolder(invocation.environment).store(of: profile.name)
    }

    /// Creates the client for `profile`. Reads and sends nothing.
    static func client(
        for profile: Profile, secret: Secret?, over store: any CrossProcessStore,
        refreshing: EngineSettings.RefreshPolicy, following: Bool, in invocation: Invocation
    ) throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = refreshing
        settings.followsStore = following
        Self.wait(invocation.arguments.serviceTimeout, &settings)
        // A command has nothing else to do than to wait for the answer.
        settings.patience = settings.familyDeadline
        return try builder(profile, secret, invocation)
            .store(store)
            .transport(transport(for: profile, in: invocation))
            .context(invocation.world)
            .observer(
                CompositeObserver([
                    AccountAuditing(log: invocation.securityLog(of: profile.name)),
                    WaitObserver(invocation: invocation),
                ])
            )
            .settings(settings)
            .build()
    }

    /// Has each answer waited for as long as the person says. What spends something is not given up earlier than usual: that
    /// could cost the session.
    private static func wait(_ time: Duration?, _ settings: inout EngineSettings) {
        guard let time else { return }
        // No other process waits longer than two minutes for what is noted of a request.
        settings.requestDeadline = min(time, .seconds(120))
        settings.familyDeadline = max(time, settings.familyDeadline)
    }

    private static func builder(
        _ profile: Profile, _ secret: Secret?, _ invocation: Invocation
    ) throws -> AuthClient.Builder {
        try profile.checkKnown()
        if profile.service == .supabase {
            var provider: SupabaseProvider = .supabase(
                projectURL: profile.issuer, publishableKey: profile.clientID, named: supabase)
            // A typing error at sign-in must not create an account.
            provider.createsAccounts = invocation.arguments.has(.signUp)
            provider.reuseInterval = profile.reuseInterval ?? provider.reuseInterval
            provider.trustedIssuers = Set(profile.trustedIssuers)
            return AuthClient.Builder().provider(provider)
        }
        if profile.service == .clerk {
            var provider: ClerkProvider = .clerk(
                publishableKey: profile.clientID, proxyURL: profile.issuer, named: clerk)
            // The wrong account at another service must not create one here.
            provider.createsAccounts = invocation.arguments.has(.signUp)
            provider.verifiesByLink = profile.method == .link
            return AuthClient.Builder().provider(provider)
        }
        return AuthClient.Builder().provider(oauthProvider(profile, secret))
    }

    private static func oauthProvider(_ profile: Profile, _ secret: Secret?) -> OAuthProvider {
        let (endpoints, client) = (endpoints(of: profile), profile.clientID)
        var provider =
            profile.hasIssuer
            ? OAuthProvider(issuer: profile.issuer, clientID: client, named: oauth)
            : OAuthProvider(endpoints, clientID: client, named: oauth)
        provider.endpoints = endpoints
        provider.authentication = authentication(profile, secret)
        provider.resources = profile.audiences
        provider.parameters = profile.parameters
        // Such a provider sends nothing.
        provider.lacksSecret = secret == nil && profile.clientSecret != .none
        guard profile.method != .service else {
            (provider.flow, provider.scopes) = (.service, profile.scopes)
            return provider
        }
        if profile.keepsDefaultScopes {
            provider.additionalScopes = profile.scopes
        } else {
            provider.scopes = profile.scopes.isEmpty && !profile.asksNoScope ? nil : profile.scopes
        }
        provider.trustedAudiences = Set(profile.trustedAudiences)
        provider.asksConsent = profile.asksConsent
        provider.reuseInterval = profile.reuseInterval
        provider.revocationReach = profile.revocationReach.map(reach)
        return provider
    }

    private static func reach(_ reach: RevocationReach) -> OAuthProvider.RevocationReach {
        switch reach {
        case .signIn: .grant
        case .session: .serviceSession
        case .client: .client
        }
    }

    private static func endpoints(of profile: Profile) -> OAuthEndpoints {
        let named = profile.endpoints
        return OAuthEndpoints(
            authorization: named[.authorization], token: named[.token], device: named[.device],
            revocation: named[.revocation], userinfo: named[.userinfo])
    }

    /// Returns what is known of the profile's service: its document, and in place of it what the profile names. `nil`
    /// if there is neither a document nor a token endpoint.
    static func metadata(of profile: Profile, document: ServerMetadata? = nil) -> ServerMetadata? {
        let named = endpoints(of: profile)
        guard let document else {
            return named.token.map {
                named.applied(to: ServerMetadata(issuer: profile.hasIssuer ? profile.issuer : "", tokenEndpoint: $0))
            }
        }
        return named.applied(to: document)
    }

    /// Creates the transport for requests to the service of `profile`. With `--verbose` it tells of each.
    private static func transport(for profile: Profile, in invocation: Invocation) -> some HTTPTransport {
        VerboseTransport(
            CurlTransport(caFile: profile.caFile, proxy: profile.proxy, userAgent: userAgent(of: profile)), invocation)
    }

    /// Creates the transport for requests to resources. Their answers may be larger than an identity service's.
    ///
    /// - Parameter trustingOwn: Whether the authorities that the profile names vouch for the resource.
    static func resourceTransport(
        for profile: Profile, in invocation: Invocation, trustingOwn: Bool = true
    ) -> some HTTPTransport {
        VerboseTransport(
            CurlTransport(
                caFile: trustingOwn ? profile.caFile : nil, proxy: profile.proxy, sizeCap: 64 << 20,
                userAgent: userAgent(of: profile)),
            invocation)
    }

    /// Returns the tool's own product, after the one of the profile if it has one that may be sent.
    private static func userAgent(of profile: Profile) -> UserAgent {
        profile.product.flatMap { try? UserAgent(products: $0) } ?? .latchkey
    }

    /// Returns the key that the server at `url` presents, reached as the profile says.
    static func publicKey(
        of url: String, for profile: Profile, within time: Duration = ServiceCheckups.usualTime
    ) async throws -> PublicKeyPin {
        try await CurlTransport(caFile: profile.caFile, proxy: profile.proxy).publicKey(of: url, deadline: time)
    }

    private static func authentication(_ profile: Profile, _ secret: Secret?) -> ClientAuthentication {
        guard let secret else { return .none }
        if profile.sendsSecretInBody { return .post(secret) }
        return .basic(secret, encoding: profile.sendsSecretRaw ? .raw : .form)
    }
}
