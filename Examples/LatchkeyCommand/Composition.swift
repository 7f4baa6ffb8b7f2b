import Latchkey
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeyOAuth
import LatchkeyOAuthCore

/// What the tool is made of: with ``Presenters``, the only place that names plugins.
enum Composition {
    /// The provider's name within each client.
    static let provider: ProviderID = "oauth"

    /// Where the sessions of `profile` are kept: a directory for each profile, so that nothing of one is sent with
    /// another.
    static func directory(for profile: Profile, in invocation: Invocation) throws -> String {
        try FileStore.defaultDirectory(for: "latchkey", environment: invocation.environment) + "/\(profile.name)"
    }

    /// The client for `profile`. Reads and sends nothing.
    static func client(
        for profile: Profile, secret: Secret?, at directory: String, refreshing: EngineSettings.RefreshPolicy,
        following: Bool, in invocation: Invocation
    ) throws(AuthError) -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = refreshing
        settings.followsStore = following
        return try AuthClient.Builder()
            .provider(
                .oauth(
                    issuer: profile.issuer, clientID: profile.clientID, named: provider,
                    authentication: authentication(profile, secret),
                    scopes: profile.scopes.isEmpty ? nil : profile.scopes, resources: profile.audiences)
            )
            .store(.file(unencryptedAt: directory, context: invocation.world))
            .transport(.curl())
            .context(invocation.world)
            .settings(settings)
            .build()
    }

    /// What carries requests to resources, whose answers may be larger than an identity service's.
    static func resourceTransport() -> some HTTPTransport { CurlTransport(sizeCap: 64 << 20) }

    private static func authentication(_ profile: Profile, _ secret: Secret?) -> ClientAuthentication {
        guard let secret else { return .none }
        return profile.sendsSecretInBody ? .post(secret) : .basic(secret)
    }
}
