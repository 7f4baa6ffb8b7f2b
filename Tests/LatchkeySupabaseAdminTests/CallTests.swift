import Latchkey
import LatchkeyJSON
import LatchkeySupabase
import LatchkeySupabaseAdmin
import LatchkeyTesting
import Testing

@Suite("Calls of a project's administration")
struct CallTests {
    @Test("each call sends what the service wants, by either key, and gives what it answers", arguments: Call.all)
    func calls(call: Call) async throws {
        for key in Desk.Key.allCases {
            let desk = try Desk(key)
            desk.expect(call.method, call.path, call.answer)
            #expect(try await call.run(desk.admin) == call.result)
            try desk.transport.verifyFinished()
            let request = try #require(desk.transport.requests.first)
            #expect(request.body.map { try? JSON.parse($0) } == call.body.map { .some($0) })
            #expect(request.fields["X-Supabase-Api-Version"] == "2024-01-01")
            #expect(request.fields["Content-Type"] == (call.body == nil ? nil : "application/json"))
            #expect(request.fields.all("apikey") == [key.text])
            // A key of the newer format is never a bearer; a person's token is, whatever the key.
            let bearer = call.isSignOut ? "Bearer a.persons.token" : key == .token ? "Bearer \(key.text)" : nil
            #expect(request.fields.all("Authorization") == [bearer].compactMap(\.self))
            #expect(
                desk.observer.observations.contains {
                    if case .request(call.method, "https://abc.supabase.co", call.answer.status, _) = $0 {
                        true
                    } else {
                        false
                    }
                })
        }
    }

    /// An answer that refuses, and what a call then throws.
    struct Refused: Sendable {
        var answer: TransportResponse
        var code: AuthError.Code
        var word: String?

        init(_ answer: TransportResponse, _ code: AuthError.Code, _ word: String? = nil) {
            (self.answer, self.code, self.word) = (answer, code, word)
        }
    }

    static let refusals = [
        Refused(.refusal(403, "not_admin"), .configuration(.clientRefused), "not_admin"),
        Refused(.refusal(401, "no_authorization"), .configuration(.clientRefused), "no_authorization"),
        Refused(.refusal(403, "bad_jwt"), .configuration(.clientRefused), "bad_jwt"),
        Refused(.text(401, ""), .configuration(.clientRefused)),
        Refused(.text(401, "{\"message\":\"Invalid API key\"}"), .configuration(.clientRefused)),
        Refused(.text(403, "{\"message\":\"Forbidden use of secret API key\"}"), .configuration(.clientRefused)),
        Refused(.text(403, "{\"message\":\"Forbidden\"}"), .serviceTrouble),
        Refused(.text(403, "<html>"), .serviceTrouble),
        Refused(.text(404, "404 page not found\n"), .serviceTrouble),
        Refused(.text(405, ""), .serviceTrouble),
        Refused(.text(302, ""), .serviceTrouble),
        Refused(.text(540, "paused"), .serviceTrouble),
        Refused(.refusal(404, "user_not_found"), .refused(.other), "user_not_found"),
        Refused(.refusal(404, "mfa_factor_not_found"), .refused(.expired), "mfa_factor_not_found"),
        Refused(.refusal(404, "validation_failed"), .refused(.other), "validation_failed"),
        Refused(.refusal(422, "email_exists"), .refused(.other), "email_exists"),
        Refused(.refusal(422, "phone_exists"), .refused(.other), "phone_exists"),
        Refused(.refusal(422, "weak_password"), .refused(.passwordNotAccepted), "weak_password"),
        Refused(.refusal(400, "bad_json"), .configuration(.invalid), "bad_json"),
        Refused(.refusal(403, "user_banned"), .refused(.other), "user_banned"),
        Refused(.refusal(403, "session_not_found"), .refused(.other), "session_not_found"),
        Refused(.refusal(400, "code_of_tomorrow"), .refused(.other), "code_of_tomorrow"),
        Refused(.refusal(429, "over_email_send_rate_limit"), .rateLimited, "over_email_send_rate_limit"),
        Refused(.refusal(429, "over_request_rate_limit"), .rateLimited, "over_request_rate_limit"),
        Refused(.refusal(500, "unexpected_failure"), .serviceTrouble, "unexpected_failure"),
        Refused(.refusal(504, "request_timeout"), .serviceTrouble, "request_timeout"),
        Refused(.text(503, ""), .serviceTrouble),
        Refused(
            .json(["code": 422, "error_code": "email_exists", "msg": "no"], 422), .refused(.other), "email_exists"),
        Refused(
            .json(["code": 403, "error_code": "not_admin", "msg": "no"], 403), .configuration(.clientRefused),
            "not_admin"),
        Refused(.text(200, "<html>Sign in to the café"), .offline(.unreachable)),
    ]

    @Test("what the service or a gateway refuses is told by code, and by no word of theirs", arguments: Call.all)
    func refusals(call: Call) async throws {
        for refused in Self.refusals {
            let desk = try Desk()
            desk.always(call.method, call.path, refused.answer)
            let error = await trouble { () throws(AuthError) in _ = try await call.run(desk.admin) }
            var (code, isDone) = (refused.code, false)
            if call.isSignOut {
                // The bearer is the person's, and who is gone is signed out.
                if refused.word == "bad_jwt" { code = .refused(.expired) }
                isDone = refused.word == "user_not_found"
                if call.path.hasSuffix("local"), refused.word == "session_not_found" { isDone = true }
            }
            #expect(error?.code == (isDone ? nil : code), "\(refused.answer.status) \(refused.word ?? "")")
            guard let error else { continue }
            #expect(error.serviceCode == refused.word && error.provider == "supabase-admin")
            for text in ["\(error)", String(reflecting: error)] { #expect(!text.contains(Desk.canary)) }
            let isRepeated = call.isSafe && [429, 503, 504].contains(refused.answer.status)
            #expect(desk.transport.requests.count == (isRepeated ? 4 : 1))
        }
        print("refusals: \(call.testDescription) \(Self.refusals.count)")
    }

    @Test("an answer that lacks what was asked for is named, and shows nothing of it", arguments: Call.all)
    func malformed(call: Call) async throws {
        guard call.result != "" else { return }
        for body in ["{}", "[]", "{\"users\":{}}", "{\"id\":\"\(Desk.canary)", "", "{\"users\":[{\"id\":1}]}"] {
            let desk = try Desk()
            desk.expect(call.method, call.path, .text(200, body))
            let error = await trouble { () throws(AuthError) in _ = try await call.run(desk.admin) }
            if call.testDescription == "factors", body == "[]" {
                #expect(error == nil)
                continue
            }
            // What is no object is not of the service's form.
            let isObject = body.hasPrefix("{") && body.hasSuffix("}")
            #expect(error?.code == (isObject ? .untrusted(.malformed) : .serviceTrouble), "\(body)")
            #expect(!String(reflecting: error).contains(Desk.canary))
        }
    }

    @Test("a link without one of its parts is no link", arguments: ["action_link", "email_otp", "hashed_token"])
    func link(without name: String) async throws {
        for empty in [JSON?.none, "", 1] {
            let desk = try Desk()
            var answer = Call.links[0].answer
            guard case .object(var members) = try JSON.parse(answer.body) else { return }
            members[name] = empty
            answer.body = JSON.object(members).serialized()
            desk.expect("POST", "/admin/generate_link", answer)
            let error = await trouble { () throws(AuthError) in
                _ = try await desk.admin.link(.magicLink(email: "a@b.test"))
            }
            #expect(error?.code == .untrusted(.malformed) && error?.message.contains(name) == true)
            #expect(!String(reflecting: error).contains(Desk.canary))
        }
    }

    @Test("only GET and DELETE are sent again when no answer came", arguments: Call.all)
    func repeats(call: Call) async throws {
        for code in [TransportError.Code.unreachable, .interrupted, .timedOut] {
            let desk = try Desk()
            desk.fail(call.method, call.path, code)
            desk.expect(call.method, call.path, call.answer)
            let error = await trouble { () throws(AuthError) in
                let result = try await call.run(desk.admin)
                #expect(result == call.result)
            }
            #expect(desk.transport.requests.count == (call.isSafe ? 2 : 1))
            #expect(error?.code == (call.isSafe ? nil : .offline(.unreachable)))
        }
        for code in [TransportError.Code.tls, .tooLarge, .invalidRequest] {
            let desk = try Desk()
            desk.fail(call.method, call.path, code)
            let error = await trouble { () throws(AuthError) in _ = try await call.run(desk.admin) }
            #expect(error != nil && desk.transport.requests.count == 1)
        }
    }

    @Test(
        "what an earlier try may have deleted is deleted; what none can have is missing",
        arguments: Call.all.filter { $0.missing != nil })
    func deletedTwice(call: Call) async throws {
        let missing = try #require(call.missing)
        let arrived = try Desk()
        arrived.fail(call.method, call.path, .interrupted)
        arrived.expect(call.method, call.path, .refusal(404, missing))
        #expect(try await call.run(arrived.admin) == "")
        let gateway = try Desk()
        gateway.expect(call.method, call.path, .text(502, ""))
        gateway.expect(call.method, call.path, .refusal(404, missing))
        #expect(try await call.run(gateway.admin) == "")

        let unsent = try Desk()
        unsent.fail(call.method, call.path, .unreachable, wasSent: false)
        unsent.expect(call.method, call.path, .refusal(404, missing))
        var error = await trouble { () throws(AuthError) in _ = try await call.run(unsent.admin) }
        #expect(error?.serviceCode == missing)
        // Another refusal is one, however often it was tried.
        let other = try Desk()
        other.fail(call.method, call.path, .interrupted)
        other.expect(call.method, call.path, .refusal(403, "not_admin"))
        error = await trouble { () throws(AuthError) in _ = try await call.run(other.admin) }
        #expect(error?.serviceCode == "not_admin")
    }

    @Test("an id that is none is sent nowhere", arguments: ["", "a/b", "..", "a?b", "a%2Fb", "ä", "a b", "a\r\nb"])
    func ids(id: String) async throws {
        let desk = try Desk()
        let admin = desk.admin
        let errors = [
            await trouble { () throws(AuthError) in _ = try await admin.user(id) },
            await trouble { () throws(AuthError) in _ = try await admin.update(id, SupabaseUserDetails()) },
            await trouble { () throws(AuthError) in try await admin.delete(id) },
            await trouble { () throws(AuthError) in _ = try await admin.factors(of: id) },
            await trouble { () throws(AuthError) in try await admin.delete(factor: id, of: "u1") },
            await trouble { () throws(AuthError) in try await admin.delete(factor: "f1", of: id) },
        ]
        for error in errors { #expect(error?.code == .configuration(.invalid)) }
        #expect(desk.transport.requests.isEmpty)
    }

    @Test("a person's token that could break its header is sent nowhere", arguments: ["", "a b", "a\r\nb", "ä"])
    func tokens(token: String) async throws {
        let desk = try Desk()
        let error = await trouble { () throws(AuthError) in try await desk.admin.signOut(Secret(token)) }
        #expect(error?.code == .configuration(.invalid) && desk.transport.requests.isEmpty)
    }

    @Test(
        "a ban that no service can count is sent nowhere",
        arguments: [Duration.zero, .seconds(-1), .seconds(3_155_760_001), .seconds(Int64.max)])
    func bans(duration: Duration) async throws {
        let desk = try Desk()
        var details = SupabaseUserDetails(email: "a@b.test")
        details.ban = .lasting(duration)
        let update = await trouble { () throws(AuthError) in _ = try await desk.admin.update("u1", details) }
        let create = await trouble { () throws(AuthError) in _ = try await desk.admin.create(details) }
        #expect(update?.code == .configuration(.invalid) && create?.code == .configuration(.invalid))
        #expect(desk.transport.requests.isEmpty)
    }

    @Test("a wait that the service asks for is told")
    func waits() async throws {
        let desk = try Desk()
        desk.expect(
            "POST", "/invite",
            .json(
                ["code": "over_email_send_rate_limit", "message": "after 41 seconds."], 429,
                ["X-Supabase-Api-Version": "2024-01-01", "x-sb-error-code": "over_email_send_rate_limit"]))
        let error = await trouble { () throws(AuthError) in _ = try await desk.admin.invite("a@b.test") }
        #expect(error?.retryAfter == .seconds(42))
    }

    @Test("a caller that is cancelled is told so")
    func cancelled() async throws {
        let desk = try Desk()
        desk.transport.expect("GET", Desk.url + "/admin/users/u1", .failure(CancellationError()))
        let error = await trouble { () throws(AuthError) in _ = try await desk.admin.user("u1") }
        #expect(error?.code == .cancelled)
    }
}
