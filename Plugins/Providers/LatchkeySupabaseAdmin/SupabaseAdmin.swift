public import Latchkey
import LatchkeySystem
import LatchkeySupabase

/// Manages the accounts of a Supabase project from its own servers, tools and tests. It needs the
/// key that opens the whole project, so never put it into an app.
///
/// | Situation | What happens |
/// | --- | --- |
/// | The key is a publishable key, an `anon` key, a person's token, or no key at all | `init` throws `configuration(.invalid)`, which names what it is; nothing is sent |
/// | The key is `sb_secret_…` | it is sent in `apikey` and never as a bearer token: the gateway makes a token of it |
/// | The key is a token of `service_role` | it is sent both ways, because the service itself reads only the bearer token |
/// | The service or the gateway refuses the key | `configuration(.clientRefused)` |
/// | A GET or DELETE gets no answer, or 429, 502, 503 or 504 | it is sent again within ten seconds (``/Latchkey/Retrying``) |
/// | Any other request gets no answer | it is not sent again: check whether it took effect |
/// | A deletion finds nothing, and an earlier try may have deleted it | the deletion succeeds |
///
/// If the service refuses a call, the call throws an ``/Latchkey/AuthError`` whose `supabase` is
/// the service's own code. Signing in is never the remedy: codes that would ask a person to sign in
/// are `refused(.other)` here.
///
/// Only the key is kept, so copies behave the same. Calls may run at the same time, but the service
/// loses changes to one user that are made at the same time.
public struct SupabaseAdmin: Sendable {
    /// The provider that errors name.
    static let name: ProviderID = "supabase-admin"

    /// The address of the auth service, without a slash at the end.
    public let authURL: String
    let service: SupabaseService

    /// Opens the accounts of a project, hosted or self-hosted with the whole gateway.
    ///
    /// - Parameters:
    ///   - projectURL: The project's address, such as `https://abc.supabase.co`. https, or http to this machine.
    ///   - secretKey: The key `sb_secret_…`, or the older `service_role` key.
    ///   - transport: The transport for requests. Do not pass a ``/Latchkey/Retrying`` one: safe
    ///     requests are already repeated here.
    ///   - context: The clock, the source of randomness, and the observer that sees each request:
    ///     method, origin, status, time.
    /// - Throws: `configuration(.invalid)` for an address or a key that cannot be used.
    public init(
        projectURL: String, secretKey: Secret, transport: some HTTPTransport, context: PluginContext = .system
    ) throws(AuthError) {
        try self.init(.supabase(projectURL: projectURL, publishableKey: ""), secretKey, transport, context)
    }

    /// Opens the accounts of a self-hosted GoTrue without a gateway in front of it. This takes a
    /// `service_role` token: there is no gateway to make one of a secret key.
    ///
    /// - Parameters:
    ///   - authURL: The address of GoTrue itself, such as `http://localhost:9999`.
    ///   - secretKey: A `service_role` token.
    ///   - transport: Sends the requests.
    ///   - context: The clock. Default: the system.
    /// - Throws: `configuration(.invalid)` for an address or a key that cannot be used.
    public init(
        authURL: String, secretKey: Secret, transport: some HTTPTransport, context: PluginContext = .system
    ) throws(AuthError) {
        try self.init(.supabase(authURL: authURL), secretKey, transport, context)
    }

    private init(
        _ provider: SupabaseProvider, _ key: Secret, _ transport: any HTTPTransport, _ context: PluginContext
    ) throws(AuthError) {
        var provider = provider
        provider.name = Self.name
        // The transport adds the key to requests and treats it as a secret; the provider's key is not one.
        provider.publishableKey = nil
        try provider.checkConfiguration()
        let keyed = KeyedTransport(try AdminKey(key), transport, context)
        authURL = provider.authURL
        service = SupabaseService(
            provider: provider, context: ProviderContext(world: context, transport: keyed, cache: NoCache()))
    }
}

extension SupabaseAdmin: CustomStringConvertible, CustomReflectable {
    /// The origin of the auth service.
    public var description: String { "SupabaseAdmin of \(WebAddress(authURL)?.origin ?? "?")" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SupabaseAdmin {
    /// Runs a call and turns failures into errors for the caller.
    func run<Value: Sendable>(_ work: () async throws -> Value) async throws(AuthError) -> Value {
        do {
            return try await work()
        } catch let failure as SupabaseFailure {
            throw failure.ofAdmin
        } catch {
            throw AuthError(error, provider: Self.name)
        }
    }

    /// Removes something. If an earlier try may have removed it already, its absence counts as success.
    func remove(_ request: ServiceRequest, missing: SupabaseErrorCode) async throws(AuthError) {
        try await run {
            let tries = Locked(0)
            do {
                _ = try await KeyedTransport.$tries.withValue(tries) { try await service.send(request) }
            } catch let failure as SupabaseFailure
                where failure.code == missing && tries.withLock({ $0 }) > 1
            {
                return
            }
        }
    }

    /// Returns a path that contains an id from outside, after checking the id.
    func path(_ base: String, _ id: String) throws(AuthError) -> String {
        guard UserAnswer.isPlain(id) else {
            throw AuthError(.configuration(.invalid), "This is no id of the service.", provider: Self.name)
        }
        return "\(base)/\(id)"
    }
}

extension SupabaseFailure {
    /// The failure as an administrator sees it.
    fileprivate var ofAdmin: AuthError {
        var error = authError(SupabaseAdmin.name)
        switch code {
        case .badJWT, .noAuthorization, .notAdmin:
            (error.code, error.message) = (
                .configuration(.clientRefused), "The service does not take the key for its administrator's."
            )
        case .userNotFound: (error.code, error.message) = (.refused(.other), "There is no such user.")
        case nil where answer.keyIsRefused || answer.status == 401:
            (error.code, error.message) = (
                .configuration(.clientRefused), "The gateway does not take the secret key for this project."
            )
        default:
            if case .signInRequired = error.code { error.code = .refused(.other) }
        }
        return error
    }
}

/// Keeps nothing: administration uses no cache.
private struct NoCache: ProviderCache {
    func value<Value: Sendable>(
        _ key: String, _ make: @escaping @Sendable () async throws -> (Value, fresh: Duration)
    ) async throws -> Value {
        try await make().0
    }

    func forget(_ key: String) async {}
}
