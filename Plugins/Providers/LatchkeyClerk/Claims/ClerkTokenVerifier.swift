import FoundationEssentials
public import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
public import LatchkeyOAuthCore
import LatchkeyPluginKit

/// Verifies session tokens that others send: for servers, and for programs that keep the keys.
///
/// ```swift
/// var rules = ClerkTokenVerifier.Rules()
/// rules.authorizedParties = ["https://app.example.com"]
/// let verifier = try ClerkTokenVerifier(publishableKey: key, rules: rules, transport: .curl())
/// let claims = try await verifier.verify(Secret(bearer))
/// guard claims.has(permission: "org:invoices:read") else { return 403 }
/// ```
///
/// The instance's keys are fetched once for all callers, again for an unknown key at most once a
/// minute, and again after an hour, so that a withdrawn key disappears. If they cannot be fetched,
/// the held keys are used.
public actor ClerkTokenVerifier {
    /// What a token must meet, in addition to a valid signature, the right issuer and the current time.
    public struct Rules: Hashable, Sendable {
        /// The origins of your own pages. If this is not empty, a token must name one of these as its party
        /// (`azp`). If it is empty, tokens from any page that can get one for the person are accepted, which invites
        /// attacks from sibling domains.
        public var authorizedParties: Set<String> = []
        /// Whether to accept a token without a party although ``authorizedParties`` is not empty. The tokens of native
        /// programs name none, so a backend of a native app beside its pages needs it. The default is `false`, because
        /// a token from a page without an origin names none either.
        public var acceptsNativeTokens = false
        /// Whether to accept a token from a JWT template, too. It has the claims of its template and no session, so it
        /// goes on until it ends, whatever becomes of the session. The default is `false`.
        public var acceptsTemplates = false
        /// How far the clocks may differ; at most ten minutes.
        public var leeway = Duration.seconds(5)
        /// Whether to accept a session with tasks left, such as a password that must be reset.
        public var acceptsPending = false

        /// Creates the default rules.
        public init() {}
    }

    /// What the header calls (`cat`) session tokens, and session tokens from a template. A machine's token has
    /// another one.
    private static let (sessions, templates) = (["cl_B7d4PD111AAA", "cl_I7d4PD111III"], "cl_B7d4PD222AAA")
    private static let refresh = KeySetRefreshRule()
    private static let mostLeeway = Duration.seconds(600)
    private static let deadline = Duration.seconds(10)
    private let issuer: String
    private let keysAt: String?
    private let rules: Rules
    private let transport: (any HTTPTransport)?
    private let context: PluginContext
    private var held = HeldKeySet()
    private let fixed: JSONWebKeySet?
    private var fetch: Task<Void, Never>?

    /// Creates a verifier that fetches the instance's keys.
    ///
    /// - Parameters:
    ///   - publishableKey: The instance's publishable key.
    ///   - proxyURL: The address to use for the Frontend API instead of its own host.
    ///   - rules: What a token must meet.
    ///   - transport: The transport for the request for the keys.
    ///   - context: The clock.
    /// - Throws: `configuration(.invalid)` for a key, an address or a leeway that cannot be used.
    public init(
        publishableKey: String, proxyURL: String? = nil, rules: Rules = Rules(), transport: any HTTPTransport,
        context: PluginContext = .system
    ) throws(AuthError) {
        let provider: ClerkProvider = .clerk(publishableKey: publishableKey, proxyURL: proxyURL)
        try provider.checkConfiguration()
        try Self.check(rules)
        (issuer, keysAt) = ("https://\(provider.host)", "\(provider.base)/.well-known/jwks.json")
        (self.rules, self.transport, self.context, fixed) = (rules, transport, context, nil)
    }

    /// Creates a verifier with fixed keys, which sends no requests.
    ///
    /// - Parameters:
    ///   - issuer: The issuer that tokens must name, such as `https://clerk.example.com`.
    ///   - keys: The instance's keys.
    ///   - rules: What a token must meet.
    ///   - context: The clock.
    /// - Throws: `configuration(.invalid)` for a leeway that cannot be used.
    public init(
        issuer: String, keys: JSONWebKeySet, rules: Rules = Rules(), context: PluginContext = .system
    ) throws(AuthError) {
        try Self.check(rules)
        (self.issuer, keysAt, self.rules, transport, self.context) = (issuer, nil, rules, nil, context)
        fixed = keys
    }

    private static func check(_ rules: Rules) throws(AuthError) {
        guard rules.leeway >= .zero, rules.leeway <= mostLeeway else {
            throw AuthError(.configuration(.invalid), "The leeway is not from none to ten minutes.")
        }
    }

    /// Verifies the token's signature, kind, issuer, times, party and status, and returns its claims.
    ///
    /// - Throws: `untrusted(.signature)`, `untrusted(.issuer)`, `untrusted(.claims)`,
    ///   `untrusted(.malformed)`; `refused(.expired)` for an expired token;
    ///   `refused(.factorRequired)` for a session with tasks left; `offline` if there is no key yet
    ///   and none can be fetched.
    public func verify(_ token: Secret) async throws(AuthError) -> ClerkClaims {
        if let missing = CryptoLibrary.missing { throw AuthError(missing) }
        guard token.reveal().count <= TokenClaims.limit else {
            throw AuthError(.untrusted(.malformed), "The token is too large.")
        }
        let compact = token.revealText()
        var signature = Self.check(compact, fixed ?? held.keys)
        if fixed == nil, await fetchKeys(for: signature) { signature = Self.check(compact, held.keys) }
        if case .failure = signature, fixed == nil, held.fetchedAt == nil {
            throw AuthError(.offline(.unreachable), "The instance's keys could not be fetched yet.")
        }
        if case .failure(let error) = signature {
            let isForm = [.malformed, .encoding, .header, .duplicateMember].contains(error.code)
            throw AuthError(
                .untrusted(isForm ? .malformed : .signature), "The session token does not hold: \(error.code.rawValue)."
            )
        }
        let claims = ClerkClaims(try TokenClaims(of: token))
        try check(claims)
        try check(try? signature.get())
        return claims
    }

    /// Refuses other tokens that the instance signs with the same keys: its OAuth access tokens, those of machines, and
    /// those from templates unless they are wanted.
    private func check(_ header: JOSEHeader?) throws(AuthError) {
        let category = header?.json["cat"].flatMap { $0 == .null ? nil : $0 }
        let known = Self.sessions + (rules.acceptsTemplates ? [Self.templates] : [])
        guard [nil, "JWT"].contains(header?.type), category.map({ known.contains($0.string ?? "") }) ?? true else {
            throw AuthError(.untrusted(.claims), "The token is not one of a session.")
        }
    }

    private func check(_ claims: ClerkClaims) throws(AuthError) {
        guard claims.json["iss"]?.string == issuer else {
            throw AuthError(.untrusted(.issuer), "The token is another instance's.")
        }
        let (now, leeway) = (context.clock.wall(), rules.leeway.inSeconds)
        guard let ends = claims.expiresAt else {
            throw AuthError(.untrusted(.claims), "The token does not say when it ends.")
        }
        guard now.timeIntervalSince(ends) < leeway else {
            throw AuthError(.refused(.expired), "The token has ended.")
        }
        for begins in [claims.notBefore, claims.issuedAt].compactMap(\.self) {
            guard begins.timeIntervalSince(now) <= leeway else {
                throw AuthError(.untrusted(.claims), "The token begins later than now.")
            }
        }
        try check(party: claims.json["azp"])
        guard claims.json["sts"] == nil || claims.status != nil else {
            throw AuthError(.untrusted(.claims), "The session's status cannot be read.")
        }
        guard rules.acceptsPending || claims.status != "pending" else {
            throw AuthError(.refused(.factorRequired), "The person has something left to do before being signed in.")
        }
    }

    private func check(party: JSON?) throws(AuthError) {
        guard !rules.authorizedParties.isEmpty else { return }
        guard let party, party != .null else {
            guard rules.acceptsNativeTokens else {
                throw AuthError(
                    .untrusted(.claims), "The token names no party (azp); a native program's is accepted by an option.")
            }
            return
        }
        guard let name = party.string, rules.authorizedParties.contains(name) else {
            throw AuthError(.untrusted(.claims), "The token was made for another page.")
        }
    }

    private static func check(_ compact: String, _ keys: JSONWebKeySet) -> Result<JOSEHeader, JOSEError> {
        Result { () throws(JOSEError) in
            let signed = try JSONWebSignature.verify(compact: compact, keys: keys, allowed: [.rs256])
            _ = try signed.claims()
            return signed.header
        }
    }

    private static func selection(_ checked: Result<JOSEHeader, JOSEError>) -> JSONWebKeySet.Selection {
        guard case .failure(let error) = checked else { return .mismatched }
        return [.unknownKeyID, .noKey].contains(error.code) ? .unknownKeyID : .mismatched
    }

    /// Fetches the keys with one request for all waiting callers. Returns whether the keys may have changed.
    private func fetchKeys(for checked: Result<JOSEHeader, JOSEError>) async -> Bool {
        if let fetch {
            guard case .failure = checked else { return false }
            await fetch.value
            return true
        }
        guard Self.refresh.decide(Self.selection(checked), in: held, now: context.clock.now()) == .fetch, let transport,
            let keysAt
        else { return false }
        held.beginFetch(at: context.clock.now())
        let task = Task {
            let response = try? await transport.send(
                TransportRequest("GET", keysAt, fields: ["Accept": "application/json"]), deadline: Self.deadline)
            take(response.flatMap { $0.status == 200 ? try? JSONWebKeySet(parsing: JSON.parse($0.body)) : nil })
        }
        fetch = task
        await task.value
        fetch = nil
        return true
    }

    private func take(_ keys: JSONWebKeySet?) { held.endFetch(with: keys, at: context.clock.now()) }
}
