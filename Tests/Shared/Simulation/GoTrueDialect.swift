package import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeySupabase
package import LatchkeyTesting

/// What Supabase's auth service speaks, with the provider that apps use. Behind it stands the simulated service that
/// answers the refresh token before the current one with the current one, at any age, and ends the session at any older
/// one; a proven factor moves the token by two.
package struct GoTrueDialect: Dialect {
    private let supabase: SupabaseProvider

    /// - Parameter reuseInterval: For how long the service answers a used token, as the project has set it.
    package init(reuseInterval: Duration? = nil) {
        var provider = SupabaseProvider.supabase(
            projectURL: "https://abc.supabase.example", publishableKey: "sb_publishable_simulated")
        provider.reuseInterval = reuseInterval ?? provider.reuseInterval
        supabase = provider
    }

    package var provider: any AuthProvider { supabase }
    package var channel: DeliveryChannel { .sms }
    /// Its requests tell of sessions by their access tokens.
    package var isTraced: Bool { false }

    package func transport(over inner: any HTTPTransport, to service: SimulatedService) -> any HTTPTransport {
        GoTrueTransport(inner: inner, service: service)
    }

    package func verify(_ account: AccountID, with client: AuthClient) async throws {
        try await client.supabase(account: account).verify(factor: Self.factor, code: Secret("123456"))
    }

    package func adopt(_ refresh: String, of person: String, with client: AuthClient) async throws {
        let family = refresh.prefix { $0 != "." }
        let claims: JSON = ["sub": .string(person), "session_id": .string(String(family))]
        let parts = [JSON.object(["alg": "none"]), claims].map { Base64URL.encode($0.serialized()) }
        let stored: JSON = [
            "access_token": .string(parts.joined(separator: ".") + ".e30"), "token_type": "bearer",
            "expires_in": 3_600, "expires_at": 4_000_000_000, "refresh_token": .string(refresh),
            "user": ["id": .string(person)],
        ]
        _ = try await client.adopt(SupabaseImport(stored.serialized()))
    }

    fileprivate static let factor = "11111111-2222-4333-8444-555555555555"
}

/// Takes the provider's requests to the simulated service, and what that answers into the service's words. Answers of
/// others, such as a gateway's page, pass as they are.
private struct GoTrueTransport: HTTPTransport {
    let inner: any HTTPTransport
    let service: SimulatedService

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        guard let range = request.url.firstRange(of: "/auth/v1") else {
            return try await inner.send(request, deadline: deadline)
        }
        let target = request.url[range.upperBound...]
        let path = target.prefix { $0 != "?" }
        let body = request.body.flatMap { try? JSON.parse($0) } ?? .null
        let who = body["email"]?.string ?? body["phone"]?.string ?? ""
        switch path {
        case "/token" where target.hasSuffix("grant_type=refresh_token"):
            return try await session("token", body["refresh_token"]?.string ?? "", deadline)
        case "/token": return try await session("signin", who, deadline)
        case "/otp": return Self.empty(try await ask("code", who, deadline))
        case "/verify" where body["token"]?.string == "wrong":
            return Self.refusal(403, "otp_expired", "Token has expired or is invalid")
        case "/verify": return try await session("signin", who, deadline)
        default: return try await bearing(request, String(path), deadline)
        }
    }

    /// Requests in the name of a session.
    private func bearing(_ request: TransportRequest, _ path: String, _ deadline: Duration) async throws
        -> TransportResponse
    {
        let bearer = String((request.fields["Authorization"] ?? "").dropFirst("Bearer ".count))
        guard let access = service.access(bearer) else {
            return Self.refusal(401, "no_authorization", "This endpoint requires a bearer token")
        }
        let family = service.families[access.family]
        guard family.death == nil else {
            service.noteRefused(access.family)
            return Self.refusal(403, "session_not_found", "Session from session_id claim in JWT does not exist")
        }
        guard service.accepts(bearer) else { return Self.refusal(403, "bad_jwt", "token is expired") }
        if path == "/logout" {
            let response = try await ask("revoke", family.current, deadline)
            return response.status == 200 && response.body.isEmpty ? TransportResponse(status: 204) : response
        }
        if path.hasSuffix("/challenge") {
            let answer: JSON = [
                "id": "99999999-2222-4333-8444-555555555555", "type": "totp", "expires_at": 4_000_000_000,
            ]
            return Self.json(200, answer)
        }
        if path.hasSuffix("/verify") { return try await session("verify", family.current, deadline) }
        return TransportResponse(status: 404)
    }

    private func ask(_ path: String, _ body: String, _ deadline: Duration) async throws -> TransportResponse {
        try await inner.send(
            TransportRequest("POST", "https://id.example.com/\(path)", body: Array(body.utf8)), deadline: deadline)
    }

    private func session(_ path: String, _ body: String, _ deadline: Duration) async throws -> TransportResponse {
        let response = try await ask(path, body, deadline)
        let text = String(decoding: response.body, as: UTF8.self)
        let words = text.split(separator: " ").map(String.init)
        switch response.status {
        case 200 where words.count == 3 || words.last == "disagrees":
            guard let lasts = Int64(words[2]), let family = service.family(ofRefreshToken: words[0]) else { break }
            return Self.json(
                200,
                [
                    "access_token": .string(bearer(words[1], of: family)), "token_type": "bearer",
                    "expires_in": words.count == 3 ? .integer(lasts) : "soon",
                    "refresh_token": .string(words[0]), "user": ["id": .string(service.families[family].subject)],
                ])
        case 400 where text == "invalid_grant":
            return Self.refusal(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
        default: break
        }
        return response
    }

    /// The access token as an app gets it: once a factor was proven, it says how often.
    private func bearer(_ access: String, of family: Int) -> String {
        let words = access.split(separator: ".")
        guard words.count == 3, let proofs = Int64(words[2]) else { return access }
        let proof: JSON = ["method": "totp", "timestamp": .integer(proofs)]
        let claims: JSON = ["sub": .string(service.families[family].subject), "amr": .array([proof])]
        let parts = [JSON.object(["alg": "none"]), claims].map { Base64URL.encode($0.serialized()) }
        // Names the access token, too, so that no two are the same.
        let text = parts.joined(separator: ".") + "." + Base64URL.encode(Array(access.utf8))
        service.alias(text, of: access)
        return text
    }

    private static func empty(_ response: TransportResponse) -> TransportResponse {
        response.status == 200 && response.body.isEmpty ? json(200, [:]) : response
    }

    private static func json(_ status: Int, _ body: JSON) -> TransportResponse {
        TransportResponse(status: status, fields: ["Content-Type": "application/json"], body: body.serialized())
    }

    private static func refusal(_ status: Int, _ code: String, _ message: String) -> TransportResponse {
        var response = json(status, ["code": .string(code), "message": .string(message)])
        response.fields.add("x-sb-error-code", code)
        response.fields.add("X-Supabase-Api-Version", "2024-01-01")
        return response
    }
}
