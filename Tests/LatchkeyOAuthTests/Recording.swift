import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore
import LatchkeyTesting
import Testing

@testable import LatchkeyOAuth

/// One request and its answer, as a real server gave it.
struct Exchange: Sendable, CustomTestStringConvertible {
    var name: String
    var at: Double?
    var method: String
    var url: String
    var authorization: String?
    var form: FormParameters
    var response: TransportResponse

    var testDescription: String { name }

    /// The member of the answer's JSON.
    func member(_ name: String) throws -> JSON? { try JSON.parse(response.body)[name] }

    /// The claims of the ID token in the answer, not checked.
    func idTokenClaims() throws -> JSON? {
        guard !response.body.isEmpty, let token = try member("id_token")?.string else { return nil }
        return try JSON.parse(try Base64URL.decode(token.split(separator: ".")[1]))
    }

    /// The same exchange with another body.
    func with(body: JSON) -> Exchange {
        var copy = self
        copy.response.body = body.serialized()
        return copy
    }

    func without(_ member: String) throws -> Exchange {
        var members = try #require(try JSON.parse(response.body).object)
        members[member] = nil
        return with(body: .object(members))
    }
}

/// What one real server said. The files hold scratch accounts and keys of a run on loopback.
enum Server: String, Sendable, CaseIterable {
    case glewlwyd
    case djangoOAuthToolkit = "django-oauth-toolkit"
    case oidcProvider = "oidc-provider"
    case keycloak

    var issuer: String {
        switch self {
        case .glewlwyd: "http://127.0.0.1:4593/api/oidc"
        case .djangoOAuthToolkit: "http://127.0.0.1:8000/o"
        case .oidcProvider: "http://127.0.0.1:4600"
        case .keycloak: "http://127.0.0.1:8090/realms/lk"
        }
    }

    func exchanges() throws -> [Exchange] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let bytes = try Data(contentsOf: folder.appending(path: "Recorded/\(rawValue).json"))
        return try JSONField(try JSON.parse(Array(bytes)))["exchanges"].array().map(Exchange.init)
    }

    func exchange(_ name: String) throws -> Exchange {
        try #require(try exchanges().first { $0.name == name }, "\(rawValue) has no exchange \(name)")
    }

    /// A provider for the client of `exchange`, without a secret.
    func provider(for clientID: String) -> OAuthProvider {
        var provider = OAuthProvider(issuer: issuer, clientID: clientID)
        if self == .djangoOAuthToolkit { provider.endpoints.device = "\(issuer)/device-authorization/" }
        return provider
    }
}

extension Exchange {
    init(_ field: JSONField) throws {
        let (request, response) = (field["request"], field["response"])
        var form = FormParameters()
        for (name, value) in (request["form"].value?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            for item in value.array ?? [value] { form.add(name, item.string ?? "") }
        }
        var fields = HeaderFields()
        for line in try response["headers"].array() {
            let parts = try line.array()
            fields.add(try parts[0].string(), try parts[1].string())
        }
        self.init(
            name: try field["name"].string(), at: field["at"].value?.number, method: try request["method"].string(),
            url: try request["url"].string(), authorization: request["headers"].value?["Authorization"]?.string,
            form: form,
            response: TransportResponse(
                status: Int(try response["status"].integer()), fields: fields,
                body: Array(try response["body"].string().utf8)))
    }
}

/// Answers like the server did, to exactly the requests that it got.
final class Replay: HTTPTransport {
    private struct State {
        var exchanges: [Exchange]
        var failing: [String: any Error] = [:]
        var sent: [TransportRequest] = []
    }

    private let state: Locked<State>

    init(_ exchanges: [Exchange]) { state = Locked(State(exchanges: exchanges)) }

    /// Every request that was sent.
    var sent: [TransportRequest] { state.withLock { $0.sent } }

    /// How many went to an address that ends so.
    func count(_ suffix: String) -> Int { sent.count { $0.url.hasSuffix(suffix) } }

    /// Requests to `url` fail from now on; `nil`: no longer.
    func fail(_ url: String, with error: (any Error)?) { state.withLock { $0.failing[url] = error } }

    /// Answers with other exchanges from now on.
    func replace(_ exchanges: [Exchange]) { state.withLock { $0.exchanges = exchanges } }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        try state.withLock { state in
            state.sent.append(request)
            if let error = state.failing[request.url] { throw error }
            guard let match = state.exchanges.first(where: { $0.matches(request) }) else {
                Issue.record("nothing recorded for \(request.method) \(request.url.prefix { $0 != "?" })")
                throw TransportError(.unreachable, wasSent: false)
            }
            return match.response
        }
    }
}

extension Exchange {
    /// Whether the recorded request was this one. Glewlwyd's were recorded with a slash at the end of the address,
    /// and some revocations without the hint.
    fileprivate func matches(_ request: TransportRequest) -> Bool {
        func plain(_ url: String) -> Substring { url.hasSuffix("/") ? url.dropLast() : url[...] }
        guard method == request.method, plain(url) == plain(request.url) else { return false }
        guard authorization == request.fields["Authorization"] else { return false }
        let sent = FormEncoding.decode(String(decoding: request.body ?? [], as: UTF8.self)) ?? FormParameters()
        // The device authorization requests were recorded without a proof key.
        let without = ["code_challenge", "code_challenge_method"].filter { form[$0] == nil } + ["token_type_hint"]
        func lines(_ form: FormParameters) -> [String] {
            form.pairs.filter { !without.contains($0.name) }.map { "\($0.name)=\($0.value)" }.sorted()
        }
        return lines(sent) == lines(form)
    }
}

/// A provider's surroundings at the time of a recording.
struct Stage: Sendable {
    let clock: ManualClock
    let transport: Replay
    var context: ProviderContext

    /// - Parameter random: What randomness gives first, in order of use.
    init(_ exchanges: [Exchange], at: Double?, random: [[UInt8]] = []) {
        clock = ManualClock(wall: Date(timeIntervalSince1970: at ?? 1_795_229_352))
        transport = Replay(exchanges)
        var world = PluginContext.testing(clock: clock)
        let queue = Locked(random)
        let rest = world.random
        world.random = { count in
            queue.withLock { $0.first?.count == count ? $0.removeFirst() : nil } ?? rest(count)
        }
        context = ProviderContext(world: world, transport: transport, cache: KeepingCache())
    }

    /// The server's documents and keys, and `more`.
    static func of(_ server: Server, _ more: [Exchange], random: [[UInt8]] = []) throws -> Stage {
        let standing = try ["discovery", "jwks"].map(server.exchange)
        return Stage(more + standing, at: more.first?.at, random: random)
    }
}

/// The `AuthError` that `work` throws, also the one inside ``NotSent`` or ``StillOpen``.
func trouble(_ work: () async throws -> Void) async throws -> AuthError {
    do {
        try await work()
    } catch let error as AuthError {
        return error
    } catch let error as NotSent {
        return error.error
    } catch let error as StillOpen {
        return error.error
    }
    throw Missing()
}

/// Nothing was thrown, where something should have been.
struct Missing: Error {}

/// Somebody signed in on a refresh token, with what `claims` say about the person.
func credential(
    _ provider: OAuthProvider, refreshToken: String?, claims: JSON? = nil, scopes: [String] = ["openid"],
    resources: [String] = []
) -> Credential {
    var session = AuthSession(id: AuthSession.ID("s"), account: AccountID(subject: "u", of: provider.rules.binding))
    if let claims { session.state = .object(["claims": claims, "id_token": "old", "later": true]) }
    return Credential(
        id: Credential.ID("c"), binding: provider.rules.binding, refreshToken: refreshToken.map { Secret($0) },
        sessions: [session], state: CredentialState(scopes: scopes, resources: resources).json)
}

/// A want for the credential above.
func want(_ audience: Audience = .standard) -> TokenWant { TokenWant(session: AuthSession.ID("s"), audience: audience) }
