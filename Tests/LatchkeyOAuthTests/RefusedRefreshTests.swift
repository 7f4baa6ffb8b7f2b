import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyOAuth

/// A service that says of everything but its own documents what a test wants.
final class Speaker: HTTPTransport {
    static let issuer = "https://id.example"
    private let sent = Locked<[TransportRequest]>([])
    private let answer: @Sendable (TransportRequest) -> TransportResponse

    init(_ answer: @escaping @Sendable (TransportRequest) -> TransportResponse) { self.answer = answer }

    /// Where was posted what, in order.
    var posts: [(path: String, form: FormParameters)] {
        sent.withLock { $0 }.filter { $0.method == "POST" }.map { request in
            let form = FormEncoding.decode(String(decoding: request.body ?? [], as: UTF8.self))
            return (WebAddress(request.url)?.path ?? "", form ?? FormParameters())
        }
    }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        sent.withLock { $0.append(request) }
        guard request.method == "GET" else { return answer(request) }
        if request.url.hasSuffix("/jwks") { return Self.json(200, ["keys": []]) }
        return Self.json(
            200,
            [
                "issuer": .string(Self.issuer), "token_endpoint": .string(Self.issuer + "/token"),
                "device_authorization_endpoint": .string(Self.issuer + "/device"),
                "revocation_endpoint": .string(Self.issuer + "/revoke"), "jwks_uri": .string(Self.issuer + "/jwks"),
            ])
    }

    static func json(_ status: Int, _ body: JSON) -> TransportResponse {
        TransportResponse(status: status, fields: ["Content-Type": "application/json"], body: body.serialized())
    }
}

@Suite("Refreshes that are refused with another code than invalid_grant")
struct RefusedRefreshTests {
    private let provider = OAuthProvider(issuer: Speaker.issuer, clientID: "app")

    private func refresh(
        _ status: Int, _ body: JSON, for audience: Audience = .standard, holding: Bool = false,
        _ change: (inout OAuthProvider) -> Void = { _ in }
    ) async throws {
        var provider = provider
        change(&provider)
        var held = credential(provider, refreshToken: "r", resources: ["https://api.example"])
        if holding { held.sessions[0].tokens[audience] = AccessToken(Secret("a")) }
        let speaker = Speaker { _ in Speaker.json(status, body) }
        let context = ProviderContext(world: .testing(), transport: speaker, cache: KeepingCache())
        _ = try await provider.refresh(held, for: want(audience), in: context)
    }

    @Test(
        "an error of RFC 6749 to a request that has worked before is an unexplained refusal, and nothing was issued",
        .law(3),
        arguments: ["invalid_request", "invalid_scope", "unsupported_grant_type"])
    func registered(_ code: String) async throws {
        let error = await #expect(throws: Refusal.self) { try await refresh(400, ["error": .string(code)]) }
        #expect(error == Refusal(.unexplained, code: code, issuedNothing: true))
    }

    @Test(
        "an error that may come after the token was replaced does not say that nothing was issued",
        arguments: [(400, "invalid_target"), (403, "invalid_request"), (200, "invalid_request")])
    func other(_ status: Int, _ code: String) async throws {
        let error = await #expect(throws: Refusal.self) { try await refresh(status, ["error": .string(code)]) }
        #expect(error == Refusal(.unexplained, code: code, issuedNothing: false))
    }

    @Test("a code that is not registered is shown, and does not say that nothing was issued")
    func unregistered() async throws {
        let error = await #expect(throws: Refusal.self) { try await refresh(400, ["error": "no_such_token"]) }
        #expect(error == Refusal(.unexplained, code: "no_such_token", issuedNothing: false))
    }

    @Test(
        "what is not of the form of RFC 6749 is something else's answer, whatever its status", .law(3),
        arguments: [200, 202, 302, 400, 401, 403, 404, 407, 413, 431, 500, 503, 511],
        [["message": "no"], [:], ["error": ["code": "invalid_grant"]], ["error": "Bad Request"]] as [JSON])
    func foreign(_ status: Int, _ body: JSON) async throws {
        let error = await #expect(throws: AuthError.self) { try await refresh(status, body) }
        #expect(error?.recovery == .retryLater && error?.foreign?.status == status)
        #expect(error?.message.contains(Speaker.issuer) == true && error?.provider == "oauth")
    }

    @Test("invalid_grant ends the session with any status of a refusal", arguments: [200, 400, 401, 403, 404])
    func anyStatus(_ status: Int) async throws {
        let error = await #expect(throws: Refusal.self) { try await refresh(status, ["error": "invalid_grant"]) }
        #expect(error == Refusal(.definite, code: "invalid_grant"))
    }

    @Test("what the service says comes with the refusal, and with an error that is none")
    func words() async throws {
        let said: JSON = "Offline tokens not allowed for the user or client"
        let refusal = await #expect(throws: Refusal.self) {
            try await refresh(400, ["error": "invalid_grant", "error_description": said])
        }
        #expect(refusal?.serviceText?.words == said.string)
        let unsent = await #expect(throws: NotSent.self) {
            try await refresh(401, ["error": "invalid_client", "error_description": said])
        }
        #expect(unsent?.error.serviceText?.words == said.string)
    }

    @Test(
        "for a resource that no token was had for yet, the request may be what is wrong: the error says so",
        arguments: [("invalid_request", true), ("invalid_target", false)])
    func untried(_ code: String, _ issuedNothing: Bool) async throws {
        let api: Audience = "https://api.example"
        do {
            try await refresh(400, ["error": .string(code)], for: api)
            Issue.record("It was refused.")
        } catch let error as NotSent {
            #expect(issuedNothing && error.error.code == .configuration(.invalid))
        } catch let error as AuthError {
            #expect(!issuedNothing && error.code == .refused(.scope))
        }
        let error = await #expect(throws: Refusal.self) {
            try await refresh(400, ["error": .string(code)], for: api, holding: true)
        }
        #expect(error?.kind == .unexplained && error?.issuedNothing == issuedNothing)
    }

    @Test(
        "a code about the client means the token, where the request has worked before", .law(3),
        arguments: [
            (400, "unauthorized_client", true), (403, "unauthorized_client", false),
            (200, "unauthorized_client", false),
            (401, "invalid_request", true),
        ])
    func clientCode(_ status: Int, _ code: String, _ issuedNothing: Bool) async throws {
        for said in [nil, "token was already used"] {
            var body: [String: JSON] = ["error": .string(code)]
            body["error_description"] = said.map { .string($0) }
            let error = await #expect(throws: Refusal.self) { try await refresh(status, .object(body)) }
            #expect(error?.kind == .unexplained && error?.code == code && error?.issuedNothing == issuedNothing)
            #expect(error?.serviceText?.words == said)
        }
        // A resource that nothing was had for yet says nothing about the token.
        let unsent = await #expect(throws: NotSent.self) {
            try await refresh(status, ["error": .string(code)], for: "https://api.example")
        }
        #expect(unsent?.error.code == .configuration(.clientRefused))
    }

    @Test(
        "a client that the service does not take is a wrong configuration, and no end of the session", .law(3),
        arguments: [
            (401, "invalid_client"), (400, "invalid_client"), (401, "unauthorized_client"),
            (401, "invalid_client_credentials"),
        ])
    func client(_ status: Int, _ code: String) async throws {
        let error = await #expect(throws: NotSent.self) { try await refresh(status, ["error": .string(code)]) }
        #expect(error?.error.code == .configuration(.clientRefused))
    }

    @Test("without a secret that the client has, nothing is sent")
    func withoutSecret() async throws {
        let error = await #expect(throws: NotSent.self) {
            try await refresh(200, [:]) { $0.lacksSecret = true }
        }
        #expect(error?.error.code == .configuration(.invalid))
        var provider = provider
        provider.lacksSecret = true
        let speaker = Speaker { _ in Speaker.json(200, [:]) }
        let context = ProviderContext(world: .testing(), transport: speaker, cache: KeepingCache())
        let held = credential(provider, refreshToken: "r")
        await #expect(throws: NotSent.self) { try await provider.revoke(Revocation(held), in: context) }
        #expect(speaker.posts.isEmpty)
    }

    @Test(
        "invalid_grant for one audience is not the session's end: the token is tried without it, and what comes is kept"
    )
    func withoutConsent() async throws {
        let api: Audience = "https://api.example"
        func tried(
            _ plain: TransportResponse
        ) async throws -> (error: (any Error)?, kept: Secret?, resources: [String?]) {
            let speaker = Speaker { request in
                let form = FormEncoding.decode(String(decoding: request.body ?? [], as: UTF8.self))
                guard form?["resource"] != nil else { return plain }
                return Speaker.json(400, ["error": "invalid_grant", "suberror": "consent_required"])
            }
            let context = ProviderContext(world: .testing(), transport: speaker, cache: KeepingCache())
            let held = credential(provider, refreshToken: "r", resources: [api.name])
            let error = await #expect(throws: (any Error).self) {
                _ = try await provider.refresh(held, for: want(api), in: context)
            }
            return (error, context.carriedToken, speaker.posts.map { $0.form["resource"] })
        }
        let rotated = try await tried(Speaker.json(200, ["access_token": "a", "refresh_token": "r2"]))
        #expect((rotated.error as? AuthError)?.code == .refused(.scope) && rotated.kept == Secret("r2"))
        #expect(rotated.resources == [api.name, nil])
        let same = try await tried(Speaker.json(200, ["access_token": "a"]))
        #expect((same.error as? AuthError)?.code == .refused(.scope) && same.kept == Secret("r"))
        let over = try await tried(Speaker.json(400, ["error": "invalid_grant"]))
        #expect((over.error as? Refusal)?.kind == .definite && over.kept == nil)
        let trouble = try await tried(TransportResponse(status: 503))
        #expect((trouble.error as? AuthError)?.recovery == .retryLater && trouble.kept == nil)
    }

    @Test("passing trouble stays what it is", arguments: ["slow_down", "temporarily_unavailable", "server_error"])
    func trouble(_ code: String) async throws {
        let error = await #expect(throws: AuthError.self) { try await refresh(400, ["error": .string(code)]) }
        #expect(error?.code == .serviceTrouble)
    }

    @Test("where a service names its code elsewhere, the configuration says where")
    func elsewhere() async throws {
        let body: JSON = ["code": 400, "error_code": "refresh_token_not_found", "msg": "no"]
        let unread = await #expect(throws: Refusal.self) { try await refresh(400, body) }
        #expect(unread?.kind == .unexplained && unread?.code == "refresh_token_not_found")
        let read = await #expect(throws: Refusal.self) {
            try await refresh(400, body) { provider in
                provider.errorMembers = ["error", "error_code"]
                provider.definiteRefusals = ["refresh_token_not_found"]
            }
        }
        #expect(read?.kind == .definite && read?.code == "refresh_token_not_found")
        let registered = await #expect(throws: Refusal.self) {
            try await refresh(400, ["error": "invalid_grant", "error_code": "other"]) { provider in
                provider.errorMembers = ["error", "error_code"]
            }
        }
        #expect(registered == Refusal(.definite, code: "invalid_grant"), "The first member that is there counts.")
    }
}
