package import Latchkey
import LatchkeyClerk
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore
package import LatchkeyTesting

/// What Clerk's Frontend API speaks, with the provider that apps use. Behind it stands the simulated service on whose
/// clients several people are signed in: all answers but most of the mints' replace the client token, and one that was
/// replaced by another answer than a mint's is answered well, with a client of nobody's.
///
/// What the instance wants besides is drawn with the schedule (``ClerkInstance``).
package struct ClerkDialect: Dialect {
    private let instance: ClerkInstance
    private let clerk: ClerkProvider = .clerk(
        publishableKey: "pk_test_bGF0Y2hrZXkuY2xlcmsuYWNjb3VudHMuZGV2JA", named: "simulated")

    package init(schedule: UInt64) { instance = ClerkInstance(schedule: schedule) }

    package func settle() { instance.settle() }

    package var provider: any AuthProvider { clerk }
    package var channel: DeliveryChannel { .mail }
    package var isTraced: Bool { false }

    package func transport(over inner: any HTTPTransport, to service: SimulatedService) -> any HTTPTransport {
        ClerkTransport(inner: inner, service: service, instance: instance)
    }

    package func verify(_ account: AccountID, with client: AuthClient) async throws {
        _ = try await client.begin(.stepUp(StepUp(), account: account), with: clerk.name)
    }

    /// There is no session of another client to take over: the person signs in.
    package func adopt(_ refresh: String, of person: String, with client: AuthClient) async throws {
        _ = try await client.signIn(with: clerk.name, .password(identifier: person, Secret("x")))
    }
}

/// Takes the provider's requests to the simulated service, and what that answers into the service's words. Answers of
/// others, such as a gateway's page, pass as they are.
private struct ClerkTransport: HTTPTransport {
    let inner: any HTTPTransport
    let service: SimulatedService
    let instance: ClerkInstance

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        if request.url.contains("/v1/environment") {
            let reached = try await ask("code", ["environment"], deadline)
            guard reached.status == 200, reached.body.isEmpty else { return reached }
            return Self.json(200, instance.environment)
        }
        guard let range = request.url.firstRange(of: "/v1/client") else {
            return try await inner.send(request, deadline: deadline)
        }
        let path = request.url[range.upperBound...].prefix { $0 != "?" }.split(separator: "/").map(String.init)
        let form = FormEncoding.decode(String(decoding: request.body ?? [], as: UTF8.self))
        let token = request.fields["Authorization"]
        switch (path.first, path.last) {
        case (nil, _): return client(try await ask("client", [token ?? ""], deadline))
        case ("sign_ins", "sign_ins") where try await isTaken(by: token, deadline):
            return Self.refusal(400, "session_exists")
        case ("sign_ins", "sign_ins") where form?["strategy"] == "password":
            return signedIn(try await ask("signin", [token, form?["identifier"]], deadline))
        case ("sign_ins", "sign_ins"):
            let person = form?["identifier"] ?? ""
            return Self.asked(person, try await ask("code", [person], deadline))
        case ("sign_ins", _) where form?["code"] == "wrong": return Self.refusal(422, "form_code_incorrect")
        case ("sign_ins", _):
            return signedIn(try await ask("signin", [token, String(path[1].dropFirst(4))], deadline))
        case ("sessions", "tokens"): return try await mint(form?["token"], path[1], of: token, deadline)
        case ("sessions", "verify"):
            return Self.envelope(
                try await ask("verify", [token, path[1]], deadline),
                ["object": "session_verification", "status": "complete"])
        case ("sessions", "remove"): return Self.removed(try await ask("revoke", [token, path[1]], deadline))
        default: return TransportResponse(status: 404)
        }
    }

    private func ask(_ path: String, _ words: [String?], _ deadline: Duration) async throws -> TransportResponse {
        let body = words.compactMap(\.self).joined(separator: " ")
        return try await inner.send(
            TransportRequest("POST", "https://id.example.com/\(path)", body: Array(body.utf8)), deadline: deadline)
    }

    /// Whether the instance takes one session on a client, and the client has one.
    private func isTaken(by token: String?, _ deadline: Duration) async throws -> Bool {
        guard instance.takesOne, let token else { return false }
        return Self.sessions(try await ask("client", [token], deadline)).count > 0
    }

    /// A mint, which may have to bring one of the session's tokens.
    private func mint(
        _ previous: String?, _ session: String, of token: String?, _ deadline: Duration
    ) async throws -> TransportResponse {
        let missing = Self.refusal(422, "missing_expired_token")
        let isTaken = instance.takes(previous, for: session)
        if !isTaken,
            Self.sessions(try await ask("client", [token ?? ""], deadline)).contains(where: { $0.id == session })
        {
            return missing
        }
        let answer = try await ask("token", [token, session], deadline)
        // It asks for the token before it says that the session is over.
        return !isTaken && instance.wantsPreviousFirst && answer.status == 400 ? missing : minted(answer)
    }

    private static func words(_ response: TransportResponse, _ count: Int) -> [String]? {
        let words = String(decoding: response.body, as: UTF8.self).split(separator: " ").map(String.init)
        return response.status == 200 && words.count == count ? words : nil
    }

    /// What a person signed in by, or why not.
    private func signedIn(_ response: TransportResponse) -> TransportResponse {
        guard let words = Self.words(response, 5) else { return Self.refused(response) }
        return Self.envelope(
            response,
            [
                "object": "sign_in_attempt", "id": "sia_", "status": "complete",
                "created_session_id": .string(words[4]),
            ])
    }

    private static func asked(_ person: String, _ response: TransportResponse) -> TransportResponse {
        guard response.status == 200, response.body.isEmpty else { return response }
        let answer: JSON = [
            "object": "sign_in_attempt", "id": .string("sia_\(person)"), "status": "needs_first_factor",
            "first_factor_verification": ["strategy": "email_code", "status": "unverified"],
            "supported_first_factors": [["strategy": "email_code", "email_address_id": "idn_1"]],
        ]
        return json(200, ["response": answer])
    }

    /// An access token as a JWT, under which the service knows it too.
    private func minted(_ response: TransportResponse) -> TransportResponse {
        guard let words = Self.words(response, 5), let lasts = Int64(words[2]),
            let truth = service.access(words[1]), let family = service.family(ofRefreshToken: words[4])
        else { return Self.refused(response) }
        let issued = 1_700_000_000 + truth.minted.components.seconds
        var claims: [String: JSON] = [
            "sub": .string(service.families[family].subject), "sid": .string(words[4]), "iat": .integer(issued),
            "exp": .integer(issued + lasts), "jti": .string(words[1]),
        ]
        claims["sts"] = instance.status(at: truth.minted)
        let parts = [["alg": "none"], claims].map(JSON.object).map { Base64URL.encode($0.serialized()) }
        let text = parts.joined(separator: ".") + ".e30"
        service.alias(text, of: words[1])
        instance.note(text, of: words[4])
        var answer = Self.json(200, ["object": "token", "jwt": .string(text)])
        answer.fields["Authorization"] = words[0]
        return answer
    }

    /// The sessions of a client, each with its person.
    private static func sessions(_ response: TransportResponse) -> [(id: String, person: String)] {
        let words = String(decoding: response.body, as: UTF8.self).split(separator: " ").map(String.init)
        guard response.status == 200, words.count > 1, words[0].hasPrefix("client") else { return [] }
        return words.dropFirst(2).map { $0.split(separator: ":").map(String.init) }.map { ($0[0], $0[1]) }
    }

    private func client(_ response: TransportResponse) -> TransportResponse {
        let words = String(decoding: response.body, as: UTF8.self).split(separator: " ").map(String.init)
        guard response.status == 200, words.count > 1, words[0].hasPrefix("client") else { return response }
        let sessions = Self.sessions(response).map { session -> JSON in
            let person: JSON = ["id": .string(session.person), "username": .string(session.person)]
            return [
                "object": "session", "id": .string(session.id), "status": "active", "user": person,
                "last_active_token": instance.token(of: session.id),
            ]
        }
        let client: JSON = ["object": "client", "id": .string(words[0]), "sessions": .array(sessions)]
        var answer = Self.json(200, ["response": client])
        if words[1] != "-" { answer.fields["Authorization"] = words[1] }
        return answer
    }

    private static func removed(_ response: TransportResponse) -> TransportResponse {
        guard let words = words(response, 2), words[1] == "done" else { return response }
        guard words[0] != "-" else { return refusal(401, "signed_out") }
        var answer = json(200, ["response": ["object": "session", "status": "removed"]])
        answer.fields["Authorization"] = words[0]
        return answer
    }

    /// With the client beside it, and the newest token.
    private static func envelope(_ response: TransportResponse, _ content: JSON) -> TransportResponse {
        guard let words = words(response, 5) else { return refused(response) }
        var answer = json(
            200, ["response": content, "client": ["object": "client", "id": .string(words[3]), "sessions": []]])
        answer.fields["Authorization"] = words[0]
        return answer
    }

    private static func refused(_ response: TransportResponse) -> TransportResponse {
        guard response.status == 400, String(decoding: response.body, as: UTF8.self) == "invalid_grant" else {
            return response
        }
        return refusal(401, "signed_out")
    }

    private static func refusal(_ status: Int, _ code: String) -> TransportResponse {
        json(status, ["errors": [["code": .string(code), "message": "is refused"]], "clerk_trace_id": "trace"])
    }

    private static func json(_ status: Int, _ body: JSON) -> TransportResponse {
        TransportResponse(status: status, fields: ["Content-Type": "application/json"], body: body.serialized())
    }
}
