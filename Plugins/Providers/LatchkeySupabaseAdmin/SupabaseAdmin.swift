public import Latchkey
import LatchkeyLocked
import LatchkeySupabase

/// The accounts of a Supabase project, for its own servers, tools and tests: it takes the key that opens everything.
///
/// | Situation | What happens |
/// | --- | --- |
/// | The key is a publishable one, an `anon` key, a person's token, or none | `init` throws `configuration(.invalid)`, which names what it is; nothing is sent |
/// | The key is `sb_secret_…` | it travels in `apikey` and never as a bearer: the gateway makes a token of it |
/// | The key is a token of `service_role` | it travels in both, as the service itself looks at the bearer alone |
/// | The service or the gateway does not take the key | `configuration(.clientRefused)` |
/// | A GET or DELETE is not answered, or by 429, 502, 503, 504 | it is sent again within ten seconds (``/Latchkey/Retrying``) |
/// | Anything else | it is sent once: who gets no answer looks whether it took effect |
/// | Something is deleted that an earlier try may have deleted | that it is missing is success |
///
/// A call that refuses throws an ``/Latchkey/AuthError`` whose `supabase` is the service's own code. Signing in is
/// never its remedy: what a person would be told to sign in for is `refused(.other)` here.
///
/// Nothing is kept but the key. Copies are the same; calls may run side by side, though the service loses changes of
/// one user that do.
public struct SupabaseAdmin: Sendable {
    /// What errors name.
    static let name: ProviderID = "supabase-admin"

    /// Where the service is, without a slash at the end.
    public let authURL: String
    let service: SupabaseService

    /// The accounts of a project, hosted or with the whole gateway of one's own.
    ///
    /// - Parameters:
    ///   - projectURL: Such as `https://abc.supabase.co`. https, or http to this machine.
    ///   - secretKey: `sb_secret_…`, or the older `service_role` key.
    ///   - transport: Carries the requests. Not a ``/Latchkey/Retrying`` one: what is safe is repeated here.
    ///   - context: Time, randomness, and the observer that sees each request: method, origin, status, time.
    /// - Throws: `configuration(.invalid)` for an address or a key that cannot be used.
    public init(
        projectURL: String, secretKey: Secret, transport: some HTTPTransport, context: PluginContext = .system
    ) throws(AuthError) {
        try self.init(.supabase(projectURL: projectURL, publishableKey: ""), secretKey, transport, context)
    }

    /// The accounts of a GoTrue of one's own, without a gateway before it. It takes a `service_role` token: nobody is
    /// there to make one of a secret key.
    ///
    /// - Parameter authURL: Where it is itself, such as `http://localhost:9999`.
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
        // The key is put on requests by the transport, where it is a secret; the provider's is none.
        provider.publishableKey = nil
        try provider.checkConfiguration()
        let keyed = KeyedTransport(try AdminKey(key), transport, context)
        authURL = provider.authURL
        service = SupabaseService(
            provider: provider, context: ProviderContext(world: context, transport: keyed, cache: NoCache()))
    }
}

extension SupabaseAdmin: CustomStringConvertible, CustomReflectable {
    /// Where the service is.
    public var description: String { "SupabaseAdmin of \(WebAddress(authURL)?.origin ?? "?")" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SupabaseAdmin {
    /// Runs a call, with what goes wrong in the caller's words.
    func run<Value: Sendable>(_ work: () async throws -> Value) async throws(AuthError) -> Value {
        do {
            return try await work()
        } catch let failure as SupabaseFailure {
            throw failure.ofAdmin
        } catch {
            throw AuthError(error, provider: Self.name)
        }
    }

    /// Removes something. Where an earlier try may have done it, that it is missing is what was wanted.
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

    /// A path with an id in it that came from outside.
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

/// Nothing that an administrator asks for is kept.
private struct NoCache: ProviderCache {
    func value<Value: Sendable>(
        _ key: String, _ make: @escaping @Sendable () async throws -> (Value, fresh: Duration)
    ) async throws -> Value {
        try await make().0
    }

    func forget(_ key: String) async {}
}
