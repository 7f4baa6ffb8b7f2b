import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore
import LatchkeyTesting

/// An OpenID service in memory that knows the truth: which sign-in is alive, and what a revocation ends.
final class LoginService: HTTPTransport {
    /// What a revocation ends.
    enum Reach: String, CaseIterable, Sendable { case grant, session, client }

    /// One sign-in.
    struct Grant: Sendable {
        var browser: String
        var isAlive = true
        /// Whether a refresh token was used twice.
        var wasReused = false
        var refresh = ""
        var access = ""
    }

    private struct State {
        var grants: [Grant] = []
        var owner: [String: Int] = [:]
        var count = 0
        var cannotRevoke = false
        var revoked: [Int] = []
        /// How the next ID token is spoilt.
        var spoiling: (@Sendable (Spoilt) throws -> String?)?
        var methods: [String]?
    }

    /// An ID token, before a test spoils it.
    struct Spoilt: Sendable {
        var claims: [String: JSON]
        var sign: @Sendable ([String: JSON]) throws -> String
    }

    static let issuer = "https://id.example"
    private static let signer = Result { try PrivateKey.generate(.p256) }

    let reach: Reach
    /// Whether ID tokens name the browser's session.
    let namesSession: Bool
    /// The answer to a revocation, if it is not the service's usual one.
    let refusal = Locked<TransportResponse?>(nil)
    private let clock: ManualClock
    private let state = Locked(State())

    init(_ reach: Reach, namesSession: Bool = true, clock: ManualClock) {
        (self.reach, self.namesSession, self.clock) = (reach, namesSession, clock)
    }

    var grants: [Grant] { state.withLock { $0.grants } }
    /// Which grants the service was asked to revoke.
    var revoked: [Int] { state.withLock { $0.revoked } }
    /// How many grants are alive.
    var alive: Int { grants.count(where: \.isAlive) }

    /// While set, no revocation comes through.
    func cutRevocations(_ isCut: Bool) { state.withLock { $0.cannotRevoke = isCut } }

    /// The list of ways to authenticate at the revocation endpoint.
    func list(_ methods: [String]) { state.withLock { $0.methods = methods } }

    /// The next ID tokens are what `spoil` makes of them; `nil` leaves them out.
    func spoil(_ spoil: @escaping @Sendable (Spoilt) throws -> String?) { state.withLock { $0.spoiling = spoil } }

    /// Signs another program in, and returns its refresh token.
    func grantElsewhere(in browser: String) -> Secret {
        state.withLock { state in
            state.grants.append(Grant(browser: browser))
            rotate(state.grants.count - 1, &state)
            return Secret(state.grants[state.grants.count - 1].refresh)
        }
    }

    func isAlive(_ refresh: Secret?) -> Bool {
        state.withLock { state in
            refresh.flatMap { state.owner[$0.revealText()] }.map { state.grants[$0].isAlive } ?? false
        }
    }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let form = FormEncoding.decode(String(decoding: request.body ?? [], as: UTF8.self)) ?? FormParameters()
        switch WebAddress(request.url)?.path {
        case "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server": return document
        case "/jwks":
            return Self.json(["keys": .array([JSONWebKey(try Self.signer.get().publicKey).json])])
        case "/device":
            return Self.json([
                "device_code": "browser", "user_code": "ABCD", "verification_uri": "https://id.example/approve",
                "expires_in": 600, "interval": 5,
            ])
        case "/token": return try token(form)
        case "/revoke": return try revoke(form["token"] ?? "")
        default: return TransportResponse(status: 404)
        }
    }

    private var document: TransportResponse {
        var members: [String: JSON] = ["issuer": .string(Self.issuer), "jwks_uri": .string(Self.issuer + "/jwks")]
        members["authorization_endpoint"] = .string(Self.issuer + "/authorize")
        members["token_endpoint"] = .string(Self.issuer + "/token")
        members["device_authorization_endpoint"] = .string(Self.issuer + "/device")
        members["revocation_endpoint"] = .string(Self.issuer + "/revoke")
        members["revocation_endpoint_auth_methods_supported"] = state.withLock { $0.methods }.map {
            .array($0.map(JSON.string))
        }
        return Self.json(.object(members))
    }

    /// The browser that the next device code is approved in.
    let deviceBrowser = Locked("b1")

    private func token(_ form: FormParameters) throws -> TransportResponse {
        switch form["grant_type"] {
        case "authorization_code":
            let parts = (form["code"] ?? "").split(separator: ".").map(String.init)
            return try granted(in: parts[0], nonce: parts.count > 1 ? parts[1] : nil)
        case "client_credentials": return try granted(in: "none", isProgram: true)
        case "refresh_token": return try refreshed(form["refresh_token"] ?? "")
        default: return try granted(in: deviceBrowser.withLock { $0 })
        }
    }

    private func granted(in browser: String, nonce: String? = nil, isProgram: Bool = false) throws -> TransportResponse
    {
        let (grant, spoiling) = state.withLock { state in
            state.grants.append(Grant(browser: browser))
            rotate(state.grants.count - 1, &state)
            return (state.grants[state.grants.count - 1], state.spoiling)
        }
        var members: [String: JSON] = [
            "access_token": .string(grant.access), "token_type": "Bearer", "expires_in": 600,
        ]
        if isProgram { return Self.json(.object(members)) }
        members["refresh_token"] = .string(grant.refresh)
        members["scope"] = "openid"
        members["id_token"] = try idToken(browser, nonce, spoiling).map { .string($0) }
        return Self.json(.object(members))
    }

    private func idToken(
        _ browser: String, _ nonce: String?, _ spoiling: (@Sendable (Spoilt) throws -> String?)?
    ) throws -> String? {
        let now = Int64(clock.wall().timeIntervalSince1970)
        var claims: [String: JSON] = [
            "iss": .string(Self.issuer), "aud": "app", "sub": "person-1", "name": "Ada", "iat": .integer(now),
            "exp": .integer(now + 600),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        if namesSession { claims["sid"] = .string(browser) }
        let sign: @Sendable ([String: JSON]) throws -> String = { claims in
            try JSONWebSignature.sign(JSON.object(claims).serialized(), with: Self.signer.get(), algorithm: .es256)
        }
        guard let spoiling else { return try sign(claims) }
        return try spoiling(Spoilt(claims: claims, sign: sign))
    }

    private func refreshed(_ token: String) throws -> TransportResponse {
        let grant: Grant? = state.withLock { state in
            guard let number = state.owner[token], state.grants[number].isAlive else { return nil }
            guard state.grants[number].refresh == token else {
                (state.grants[number].isAlive, state.grants[number].wasReused) = (false, true)
                return nil
            }
            rotate(number, &state)
            return state.grants[number]
        }
        guard let grant else { return Self.json(["error": "invalid_grant"], status: 400) }
        return Self.json([
            "access_token": .string(grant.access), "token_type": "Bearer", "expires_in": 600,
            "refresh_token": .string(grant.refresh), "scope": "openid",
            "id_token": try idToken(grant.browser, nil, nil).map { .string($0) } ?? .null,
        ])
    }

    private func rotate(_ number: Int, _ state: inout State) {
        state.count += 1
        (state.grants[number].refresh, state.grants[number].access) = (
            "refresh-\(state.count)", "access-\(state.count)"
        )
        state.owner["refresh-\(state.count)"] = number
        state.owner["access-\(state.count)"] = number
    }

    private func revoke(_ token: String) throws -> TransportResponse {
        if let refusal = refusal.withLock({ $0 }) { return refusal }
        return try state.withLock { state in
            if state.cannotRevoke { throw TransportError(.unreachable, wasSent: false) }
            guard let number = state.owner[token] else { return TransportResponse(status: 200) }
            state.revoked.append(number)
            let browser = state.grants[number].browser
            for other in state.grants.indices {
                switch reach {
                case .grant where other == number, .session where state.grants[other].browser == browser, .client:
                    state.grants[other].isAlive = false
                default: break
                }
            }
            return TransportResponse(status: 200)
        }
    }

    private static func json(_ body: JSON, status: Int = 200) -> TransportResponse {
        TransportResponse(status: status, fields: ["Content-Type": "application/json"], body: body.serialized())
    }
}
