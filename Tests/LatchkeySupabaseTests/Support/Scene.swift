import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeySupabase

/// A project, its scripted service, and a clock that stands still.
struct Scene: Sendable {
    static let url = "https://abc.supabase.co/auth/v1"

    let clock: ManualClock
    let world: PluginContext
    let transport = ScriptedTransport()
    var provider: SupabaseProvider = .supabase(
        projectURL: "https://abc.supabase.co", publishableKey: "sb_publishable_k", redirect: "app://cb")

    init() {
        clock = ManualClock()
        world = .testing(clock: clock)
        // The clock stands still, so nothing is asked for again after a while.
        provider.reuseInterval = .zero
        provider.asksBeforeVisits = false
    }

    var context: ProviderContext {
        ProviderContext(world: world, transport: transport, cache: KeepingCache())
    }

    /// Expects a request and answers it. `path` comes with its query.
    func expect(
        _ method: String, _ path: String, _ status: Int = 200, _ body: JSON = [:], header: HeaderFields = [:]
    ) {
        var fields = header
        if status >= 400, fields["X-Supabase-Api-Version"] == nil {
            fields.add("X-Supabase-Api-Version", "2024-01-01")
            if let code = body["code"]?.string { fields.add("x-sb-error-code", code) }
        }
        let answer = TransportResponse(status: status, fields: fields, body: body.serialized())
        transport.expect(method, Self.url + path, .answer(answer))
    }

    /// Expects a request and refuses it by `code`.
    func refuse(
        _ method: String, _ path: String, _ status: Int, _ code: String, message: String = "no",
        header: HeaderFields = [:]
    ) {
        expect(method, path, status, ["code": .string(code), "message": .string(message)], header: header)
    }

    func begin(
        _ request: SignInRequest, _ options: SignInOptions = SignInOptions(), about credential: Credential? = nil
    ) async throws -> Turn {
        var context = context
        context.principal = credential.map { Principal($0, session: $0.sessions[0]) }
        return try await provider.begin(request, options, in: context)
    }

    func answer(_ answer: Answer, _ challenge: Challenge) async throws -> Turn {
        try await provider.answer(answer, to: challenge, in: context)
    }

    /// The bodies that were sent, in order.
    var bodies: [JSON] { transport.requests.map { ($0.body).flatMap { try? JSON.parse($0) } ?? .null } }
}

extension Turn {
    func challenge() throws -> Challenge {
        guard case .asked(let challenge) = self else { throw Missing() }
        return challenge
    }

    func grant() throws -> Grant {
        guard case .signedIn(let grant) = self else { throw Missing() }
        return grant
    }
}

/// Nothing was there, where something should have been.
struct Missing: Error {}

/// An access token that says `claims`.
func accessToken(_ claims: [String: JSON] = [:]) -> String {
    let usual: [String: JSON] = [
        "sub": "u1", "session_id": "s1", "aal": "aal1", "amr": [["method": "password", "timestamp": 1_700_000_000]],
    ]
    func part(_ json: JSON) -> String { Base64URL.encode(json.serialized()) }
    return "\(part(["alg": "none"])).\(part(.object(usual.merging(claims) { $1 }))).c2ln"
}

/// A session as the service answers it.
func session(
    refresh: String = "r2", claims: [String: JSON] = [:], user: [String: JSON] = [:], more: [String: JSON] = [:]
) -> JSON {
    let usual: [String: JSON] = ["id": "u1", "email": "ada@example.test", "phone": "", "role": "authenticated"]
    let members: [String: JSON] = [
        "access_token": .string(accessToken(claims)), "token_type": "bearer", "expires_in": 3_600,
        "refresh_token": .string(refresh), "user": .object(usual.merging(user) { $1 }),
    ]
    return .object(members.merging(more) { $1 })
}

/// The `AuthError` that `work` throws, also the one inside ``NotSent``.
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

extension Scene {
    /// Somebody signed in on the refresh token `r1`, with a token that lasts an hour.
    func credential(refresh: String? = "r1", state: JSON = [:], lasts: Duration = .seconds(3_600)) -> Credential {
        let session = AuthSession(
            id: AuthSession.ID("s1"), account: AccountID(subject: "u1", of: provider.rules.binding), label: "ada",
            tokens: [.standard: AccessToken(Secret("old"), lifetime: context.lifetime(lasts))], state: state)
        return Credential(
            id: Credential.ID("c"), binding: provider.rules.binding, refreshToken: refresh.map { Secret($0) },
            sessions: [session])
    }

    /// A want for the credential above.
    var want: TokenWant { TokenWant(session: AuthSession.ID("s1")) }

    func refresh(_ credential: Credential? = nil) async throws -> CredentialChange {
        try await provider.refresh(credential ?? self.credential(), for: want, in: context)
    }
}
