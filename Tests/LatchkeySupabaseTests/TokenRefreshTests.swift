import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeySupabase

@Suite("Refreshing a Supabase session")
struct TokenRefreshTests {
    static let path = "/token?grant_type=refresh_token"

    @Test("one POST with the token alone, the key beside it and never as a bearer")
    func request() async throws {
        let scene = Scene()
        scene.expect("POST", Self.path, 200, session())
        let change = try await scene.refresh()
        let request = try #require(scene.transport.requests.first)
        #expect(request.fields["apikey"] == "sb_publishable_k" && request.fields["Authorization"] == nil)
        #expect(request.fields["X-Supabase-Api-Version"] == "2024-01-01" && request.fields["X-Client-Info"] != nil)
        #expect(request.fields["Content-Type"] == "application/json" && !request.mayBeRepeated)
        #expect(scene.bodies == [["refresh_token": "r1"]])
        #expect(change.refreshToken == Secret("r2") && change.sessions?.first?.id == AuthSession.ID("s1"))
        #expect(scene.provider.rules.refresh == .sameSuccessor)
    }

    @Test("the identity provider's tokens, which come once, and what else the session kept, stay")
    func kept() async throws {
        let scene = Scene()
        scene.expect("POST", Self.path, 200, session(user: ["nickname": "a"]))
        let state: JSON = ["provider_tokens": ["provider_token": "gh"], "later": true, "user": ["id": "u1"]]
        let next = try #require(try await scene.refresh(scene.credential(state: state)).sessions?.first)
        #expect(next.state["provider_tokens"]?["provider_token"] == "gh" && next.state["later"] == true)
        #expect(next.state["user"]?["nickname"] == "a" && next.label == "ada@example.test")
        let newer = Scene()
        newer.expect("POST", Self.path, 200, session(more: ["provider_token": "gh2"]))
        let other = try #require(try await newer.refresh(newer.credential(state: state)).sessions?.first)
        #expect(other.state["provider_tokens"]?["provider_token"] == "gh2")
    }

    @Test(
        "the service's clock is taken from the answer, not from this device", .complaint(.supabase, 17),
        arguments: [-86_400, 0, 86_400])
    func clock(ahead: Int64) async throws {
        let scene = Scene()
        let issued = Int64(scene.clock.wall().timeIntervalSince1970) + ahead
        scene.expect("POST", Self.path, 200, session(more: ["expires_at": .integer(issued + 3_600)]))
        let token = try #require(try await scene.refresh().sessions?.first?.tokens[.standard])
        #expect(token.lifetime?.wall == Date(timeIntervalSince1970: Double(issued)))
        // One second less: the service cuts off what is less than a second.
        #expect(token.lifetime?.lasts == .seconds(3_599))
    }

    @Test(
        "nothing about the person costs the session", .complaint(.supabase, 16),
        arguments: [
            .null, "ada", [], ["id": 7], ["id": "u1", "email": 3, "phone": [:], "identities": "x", "factors": [3]],
            ["id": "u1", "created_at": "yesterday", "user_metadata": [], "role": .null],
        ] as [JSON])
    func person(user: JSON) async throws {
        let scene = Scene()
        scene.expect("POST", Self.path, 200, session(more: ["user": user]))
        let state: JSON = ["user": ["id": "u1", "nickname": "a"]]
        let next = try #require(try await scene.refresh(scene.credential(state: state)).sessions?.first)
        #expect(next.account == AccountID(subject: "u1", of: scene.provider.rules.binding))
        // What is nobody is not kept in place of somebody.
        #expect(next.state["user"] == (user.object == nil ? state["user"] : user))
    }

    @Test("a token of another shape is good too, when the user says who it is")
    func opaque() async throws {
        let scene = Scene()
        scene.expect("POST", Self.path, 200, session(more: ["access_token": "opaque"]))
        #expect(try await scene.refresh().sessions?.first?.tokens[.standard]?.value == Secret("opaque"))
    }

    @Test(
        "each required member that is missing is named, and ends nothing", .complaint(.supabase, 8),
        arguments: ["access_token", "token_type", "expires_in", "refresh_token"])
    func missing(_ member: String) async throws {
        for value in [JSON.null, .bool(true), ""] {
            let scene = Scene()
            scene.expect("POST", Self.path, 200, session(more: [member: value]))
            let error = try await trouble { _ = try await scene.refresh() }
            #expect(error.code == .untrusted(.malformed) && error.message.contains("$.\(member) "))
        }
    }

    @Test("nobody known at all is named too")
    func nobody() async throws {
        let scene = Scene()
        scene.expect("POST", Self.path, 200, session(more: ["access_token": "opaque", "user": [:]]))
        #expect(try await trouble { _ = try await scene.refresh() }.message.contains("$.user.id"))
    }

    @Test("another person's session is not taken over")
    func foreign() async throws {
        let scene = Scene()
        scene.expect("POST", Self.path, 200, session(claims: ["sub": "u2"], user: ["id": "u2"]))
        #expect(try await trouble { _ = try await scene.refresh() }.code == .untrusted(.subject))
    }

    @Test("an empty or absent token is never sent: its refusal would read as the end")
    func empty() async throws {
        for refresh in ["", nil] {
            let scene = Scene()
            await #expect(throws: NotSent.self) { _ = try await scene.refresh(scene.credential(refresh: refresh)) }
            #expect(scene.transport.requests.isEmpty)
        }
    }

    @Test("another audience, session or configuration sends nothing")
    func unsent() async throws {
        let scene = Scene()
        let wants = [TokenWant(session: AuthSession.ID("s1"), audience: "x"), TokenWant(session: AuthSession.ID("s2"))]
        for want in wants {
            await #expect(throws: NotSent.self) {
                _ = try await scene.provider.refresh(scene.credential(), for: want, in: scene.context)
            }
        }
        var other = scene
        other.provider.authURL += "/x"
        let error = try await trouble {
            _ = try await other.provider.refresh(scene.credential(), for: scene.want, in: scene.context)
        }
        #expect(error.code == .configuration(.changed) && scene.transport.requests.isEmpty)
    }

    /// What a refused refresh comes to.
    enum Outcome: Hashable, Sendable {
        case definite(String)
        case unexplained(String)
        case notSent(AuthError.Code)
        case passing(AuthError.Code)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var status: Int
        var body: String
        var headers: HeaderFields
        var outcome: Outcome
        var testDescription: String { "\(status) \(body)" }

        init(_ status: Int, _ body: String, _ outcome: Outcome, _ headers: HeaderFields = [:]) {
            self.status = status
            self.body = body
            self.outcome = outcome
            self.headers = headers
        }

        /// Of the service, in the newer format.
        static func coded(_ status: Int, _ code: String, _ outcome: Outcome) -> Row {
            Row(
                status, "{\"code\":\"\(code)\",\"message\":\"m\"}", outcome,
                ["X-Supabase-Api-Version": "2024-01-01", "x-sb-error-code": code])
        }

        /// Of the service, in the older format and without the header.
        static func older(_ status: Int, _ code: String, _ outcome: Outcome) -> Row {
            Row(status, "{\"code\":\(status),\"error_code\":\"\(code)\",\"msg\":\"m\"}", outcome)
        }
    }

    static let gone = [
        "refresh_token_not_found", "refresh_token_already_used", "session_not_found", "session_expired",
        "validation_failed", "user_banned",
    ]

    static let rows: [Row] =
        gone.map { .coded(400, $0, .definite($0)) } + gone.map { .older(400, $0, .definite($0)) } + [
            .coded(403, "session_expired", .definite("session_expired")),
            Row(400, #"{"error":"invalid_grant","error_description":"d"}"#, .definite("invalid_grant")),
            Row(
                400, #"{"error":"invalid_client","error_description":"d"}"#,
                .notSent(.configuration(.clientRefused))),
            .coded(409, "conflict", .passing(.serviceTrouble)),
            .coded(504, "request_timeout", .passing(.serviceTrouble)),
            .coded(500, "unexpected_failure", .passing(.serviceTrouble)),
            .coded(429, "over_request_rate_limit", .passing(.rateLimited)),
            .coded(422, "hook_timeout", .passing(.serviceTrouble)),
            .coded(422, "hook_timeout_after_retry", .passing(.serviceTrouble)),
            .coded(422, "hook_payload_over_size_limit", .passing(.serviceTrouble)),
            .coded(400, "hook_payload_invalid_content_type", .passing(.serviceTrouble)),
            .coded(400, "bad_json", .passing(.serviceTrouble)),
            .coded(403, "bad_jwt", .passing(.serviceTrouble)),
            .coded(400, "a_code_of_next_year", .passing(.serviceTrouble)),
            // A hook refuses with its own status and no code of its own.
            Row(
                403, #"{"code":"unknown","message":"Your plan has ended."}"#, .unexplained("unknown"),
                ["X-Supabase-Api-Version": "2024-01-01"]),
            Row(
                429, #"{"code":"unknown","message":"slow"}"#, .passing(.rateLimited),
                ["X-Supabase-Api-Version": "2024-01-01"]),
            // The codes in a mouth that is not the service's.
            Row(400, #"{"code":"refresh_token_not_found","message":"m"}"#, .passing(.serviceTrouble)),
            Row(400, #"{"message":"refresh_token_not_found"}"#, .passing(.serviceTrouble)),
            Row(400, "refresh_token_not_found", .passing(.serviceTrouble)),
            Row(200, #"{"code":"refresh_token_not_found","message":"m"}"#, .passing(.serviceTrouble)),
            .coded(401, "refresh_token_not_found", .passing(.serviceTrouble)),
            .coded(500, "refresh_token_not_found", .passing(.serviceTrouble)),
            .coded(429, "session_not_found", .passing(.rateLimited)),
            .coded(422, "session_expired", .passing(.serviceTrouble)),
            .coded(404, "session_not_found", .passing(.serviceTrouble)),
            Row(
                400, #"{"error":"invalid_grant","message":"m"}"#, .passing(.serviceTrouble)),
            Row(400, #"{"error":"Access token has expired"}"#, .passing(.serviceTrouble)),
            .coded(400, "invalid_grant", .passing(.serviceTrouble)),
            // Gateways.
            Row(400, #"{"message":"Project not specified"}"#, .passing(.serviceTrouble)),
            Row(400, "", .passing(.serviceTrouble)), Row(403, "<html>no</html>", .passing(.serviceTrouble)),
            Row(
                401, #"{"message":"Invalid API key","hint":"Double check"}"#,
                .notSent(.configuration(.clientRefused))),
            Row(401, #"{"message":"No API key found in request"}"#, .notSent(.configuration(.clientRefused))),
            Row(401, "", .passing(.serviceTrouble)), Row(404, "404 page not found", .passing(.serviceTrouble)),
            Row(405, "", .passing(.serviceTrouble)), Row(408, "", .passing(.serviceTrouble)),
            Row(429, "", .passing(.rateLimited)), Row(301, "", .passing(.serviceTrouble)),
            Row(500, "{}", .passing(.serviceTrouble)), Row(502, "<html>", .passing(.serviceTrouble)),
            Row(520, "error code: 520", .passing(.serviceTrouble)), Row(530, "", .passing(.serviceTrouble)),
            Row(540, "paused", .passing(.serviceTrouble)), Row(200, "<html>", .passing(.offline(.unreachable))),
            Row(200, "{}", .passing(.serviceTrouble)), Row(204, "", .passing(.serviceTrouble)),
            Row(200, "{\"token_type\":\"bearer\"}", .passing(.untrusted(.malformed))),
            Row(407, "", .passing(.offline(.unreachable))), Row(511, "<html>", .passing(.offline(.unreachable))),
        ]

    @Test("only a code of the list, by the service itself, ends the session", .complaint(.supabase, 7), arguments: rows)
    func verdict(_ row: Row) async throws {
        let scene = Scene()
        let answer = TransportResponse(status: row.status, fields: row.headers, body: Array(row.body.utf8))
        scene.transport.expect("POST", Scene.url + Self.path, .answer(answer))
        do {
            _ = try await scene.refresh()
            throw Missing()
        } catch let refusal as Refusal {
            #expect(row.outcome == (refusal.kind == .definite ? .definite(refusal.code) : .unexplained(refusal.code)))
        } catch let unsent as NotSent {
            #expect(row.outcome == .notSent(unsent.error.code))
        } catch let error as AuthError {
            #expect(row.outcome == .passing(error.code))
        }
    }

    @Test("every known code that is not on the list leaves the session alone", .complaint(.supabase, 7))
    func openList() async throws {
        var checked = 0
        for code in SupabaseErrorCode.meanings.keys where !Self.gone.contains(code.rawValue) && code != .unknown {
            for status in [400, 403, 422] {
                let scene = Scene()
                scene.refuse("POST", Self.path, status, code.rawValue)
                let error = try await trouble { _ = try await scene.refresh() }
                #expect(error.recovery == .retryLater, "\(code) came to \(error)")
                checked += 1
            }
        }
        #expect(checked == 3 * (109 - 7))
    }

    @Test("a wait is taken from the header, else from the message, whose seconds the service cuts off")
    func waits() async throws {
        for (message, header, expected) in [
            ("For security purposes, you can only request this after 7 seconds.", nil, Duration.seconds(8)),
            ("after 0 seconds", nil, .seconds(1)), ("after 7 seconds", "30", .seconds(30)),
            ("email rate limit exceeded", nil, nil), ("after -3 seconds", nil, nil), ("seconds", nil, nil),
            ("after 99999999999999999999 seconds", nil, nil),
        ] as [(String, String?, Duration?)] {
            let scene = Scene()
            let fields = header.map { HeaderFields([("Retry-After", $0)]) } ?? [:]
            scene.refuse("POST", Self.path, 429, "over_request_rate_limit", message: message, header: fields)
            #expect(try await trouble { _ = try await scene.refresh() }.retryAfter == expected)
        }
    }
}
