import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeySupabaseAdmin
import LatchkeyTesting

/// A project's administration at a scripted service, on a clock that needs no waiting.
struct Desk: Sendable {
    static let url = "https://abc.supabase.co/auth/v1"
    /// What no text may hold.
    static let canary = "canary0secret"

    /// The two formats of a key that opens the administration.
    enum Key: String, Sendable, CaseIterable {
        case secret, token

        var text: String {
            switch self {
            case .secret: "sb_secret_\(Desk.canary)"
            case .token: Desk.token(role: "service_role")
            }
        }
    }

    let transport = ScriptedTransport()
    let clock = InstantClock()
    let observer = RecordingObserver()
    let admin: SupabaseAdmin

    init(_ key: Key = .secret) throws {
        admin = try SupabaseAdmin(
            projectURL: "https://abc.supabase.co", secretKey: Secret(key.text), transport: transport,
            context: .testing(clock: clock, observer: observer))
    }

    /// A token of the older format's keys, with the canary in its signature.
    static func token(role: String?) -> String {
        func part(_ json: JSON) -> String { Base64URL.encode(json.serialized()) }
        var claims: [String: JSON] = ["iss": "supabase", "exp": 2_000_000_000]
        claims["role"] = role.map(JSON.string)
        return "\(part(["alg": "HS256"])).\(part(.object(claims))).\(canary)"
    }

    func expect(_ method: String, _ path: String, _ answer: TransportResponse) {
        transport.expect(method, Self.url + path, .answer(answer))
    }

    func always(_ method: String, _ path: String, _ answer: TransportResponse) {
        transport.always(method, Self.url + path, .answer(answer))
    }

    func fail(_ method: String, _ path: String, _ code: TransportError.Code, wasSent: Bool = true) {
        transport.expect(method, Self.url + path, .failure(TransportError(code, wasSent: wasSent)))
    }
}

extension TransportResponse {
    static func json(_ body: JSON, _ status: Int = 200, _ fields: HeaderFields = [:]) -> TransportResponse {
        TransportResponse(status: status, fields: fields, body: body.serialized())
    }

    /// A refusal of the service, with the canary in its words.
    static func refusal(_ status: Int, _ code: String, _ more: [String: JSON] = [:]) -> TransportResponse {
        let body: [String: JSON] = ["code": .string(code), "message": .string("no \(Desk.canary)")]
        return .json(
            .object(body.merging(more) { $1 }), status,
            ["X-Supabase-Api-Version": "2024-01-01", "x-sb-error-code": code])
    }

    /// What is not the service's.
    static func text(_ status: Int, _ body: String) -> TransportResponse {
        TransportResponse(status: status, body: Array(body.utf8))
    }
}

/// A user as the service shows one.
func user(_ id: String, _ more: [String: JSON] = [:]) -> JSON {
    let usual: [String: JSON] = [
        "id": .string(id), "aud": "authenticated", "role": "authenticated", "email": .string("\(id)@example.test"),
        "phone": "", "identities": .null, "created_at": "2026-01-05T09:59:58.3Z",
    ]
    return .object(usual.merging(more) { $1 })
}

/// A clock on which every sleep is over at once, and counted.
struct InstantClock: AuthClock {
    private let clock = ManualClock()

    func now() -> MonotonicInstant { clock.now() }
    func wall() -> Date { clock.wall() }
    var boot: String { clock.boot }

    func sleep(until instant: MonotonicInstant) async throws { clock.advance(by: instant - clock.now()) }
}

/// The `AuthError` that `work` throws.
func trouble(_ work: () async throws(AuthError) -> Void) async -> AuthError? {
    do throws(AuthError) {
        try await work()
        return nil
    } catch {
        return error
    }
}
