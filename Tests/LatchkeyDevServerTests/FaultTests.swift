import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import LatchkeySystem
import Testing

@Suite("Faults on request")
struct FaultTests {
    @Test("A dropped request was not acted on, one dropped after acting was")
    func drops() async throws {
        let harness = try Harness()
        let token = try await harness.signIn().refreshToken
        let body = Harness.encoded(Harness.refreshing(token))
        harness.server.inject(.init(.drop, at: .token))
        #expect(try await harness.ask("POST", "/token", fields: [Harness.formType], body: body) == nil)
        let second = try await harness.refresh(token)
        #expect(second.status == 200)
        harness.server.inject(.init(.dropAfterActing, at: .token))
        let lost = Harness.encoded(Harness.refreshing(second.refreshToken))
        #expect(try await harness.ask("POST", "/token", fields: [Harness.formType], body: lost) == nil)
        #expect(try await harness.refresh(second.refreshToken).error == "invalid_grant")
    }

    @Test("Answers that are made up: status, retry-after, empty, HTML; nothing was done")
    func canned() async throws {
        let harness = try Harness()
        let token = try await harness.signIn().refreshToken
        let faults: [(DevServer.Fault, Int, (Answer) -> Bool)] = [
            (.init(.status, at: .token, status: 500), 500, { $0.error == "temporarily_unavailable" }),
            (.init(.status, at: .token, status: 400, error: "invalid_grant"), 400, { $0.error == "invalid_grant" }),
            (.init(.retryAfter, at: .token, seconds: 7), 429, { $0.field("Retry-After") == "7" }),
            (.init(.retryAfter, at: .token, status: 503, seconds: 0), 503, { $0.field("Retry-After") == "0" }),
            (.init(.empty400, at: .token), 400, { $0.response.body.isEmpty }),
            (.init(.html, at: .token), 502, { $0.text.contains("Bad Gateway") }),
            (.init(.html, at: .token, status: 200), 200, { $0.field("Content-Type")?.hasPrefix("text/html") == true }),
        ]
        for (fault, status, check) in faults {
            #expect(harness.server.inject(fault))
            let answer = try await harness.refresh(token)
            #expect(answer.status == status)
            #expect(check(answer))
            #expect(answer.field("Date") == "Wed, 18 Nov 2026 11:06:40 GMT")
        }
        #expect(try await harness.refresh(token).status == 200)
    }

    @Test("A spent token is refused, and its family is dead")
    func spent() async throws {
        let harness = try Harness()
        let first = try await harness.signIn()
        harness.server.inject(.init(.spentToken, at: .token, grant: .refreshToken))
        #expect(try await harness.refresh(first.refreshToken).error == "invalid_grant")
        #expect(try await !harness.isAccepted(first.accessToken))
        #expect(try await harness.refresh(first.refreshToken).error == "invalid_grant")
    }

    @Test("A delayed answer waits first, a skewed one has another date, an oversized one is still JSON")
    func disfigured() async throws {
        let harness = try Harness()
        harness.server.inject(.init(.delay, at: .keys, milliseconds: 1500))
        let delayed = try await harness.get("/jwks")
        #expect(delayed.field("Date") == "Wed, 18 Nov 2026 11:06:40 GMT")
        #expect(harness.waits.withLock { $0 } == [1.5])
        harness.server.inject(.init(.clockSkew, at: .keys, seconds: -100))
        #expect(try await harness.get("/jwks").field("Date") == "Wed, 18 Nov 2026 11:05:00 GMT")
        harness.server.inject(.init(.oversize, at: .keys))
        let oversized = try await harness.get("/jwks")
        #expect(oversized.response.body.count > 2 << 20)
        #expect(oversized.json == delayed.json)
        harness.server.inject(.init(.truncated, at: .keys))
        let truncated = try await harness.get("/jwks").response
        #expect(try #require(truncated.breaksAfter) < truncated.body.count)
    }

    @Test("A held answer waits for its release, acted on before or after", .timeLimit(.minutes(1)))
    func hold() async throws {
        for acts in [true, false] {
            let harness = try Harness()
            let token = try await harness.signIn().refreshToken
            harness.server.inject(.init(.hold, at: .token, acts: acts))
            let held = Task { try await harness.refresh(token).status }
            while harness.server.heldAnswers == 0 { await Task.yield() }
            #expect(try await harness.refresh(token).status == (acts ? 400 : 200))
            #expect(harness.server.release() == 1)
            #expect(harness.server.release() == 0)
            #expect(try await held.value == (acts ? 200 : 400))
        }
    }

    @Test("A held request that is dropped is never acted on, unless it was before", .timeLimit(.minutes(1)))
    func dropHeld() async throws {
        for acts in [true, false] {
            let lines = Locked<[String]>([])
            let harness = try Harness { $0.report = { entry in lines.withLock { $0.append("\(entry)") } } }
            let token = try await harness.signIn().refreshToken
            harness.server.inject(.init(.hold, at: .token, acts: acts))
            let body = Harness.encoded(Harness.refreshing(token))
            let held = Task { try await harness.ask("POST", "/token", fields: [Harness.formType], body: body) == nil }
            while harness.server.heldAnswers == 0 { await Task.yield() }
            let sequence = harness.server.log().count
            #expect(harness.server.drop() == 1)
            #expect(try await held.value)
            #expect(try await harness.refresh(token).status == (acts ? 400 : 200))
            let line =
                acts
                ? "acted \(sequence) token refresh_token ok family=1 generation=1, hold"
                : "lost \(sequence + 1) token refresh_token, hold"
            #expect(lines.withLock { $0 }.contains(line), "\(lines.withLock { $0 })")
        }
    }

    @Test("At most 200 answers are held, further ones are dropped", .timeLimit(.minutes(1)))
    func holdBound() async throws {
        let harness = try Harness()
        harness.server.inject(.init(.hold, at: .keys, count: 201))
        let held = (0..<200).map { _ in Task { try await harness.get("/jwks").status } }
        while harness.server.heldAnswers < 200 { await Task.yield() }
        #expect(try await harness.ask("GET", "/jwks") == nil)
        #expect(harness.server.release() == 200)
        for task in held { #expect(try await task.value == 200) }
    }

    @Test("Stopping lets held answers go, unanswered", .timeLimit(.minutes(1)))
    func stop() async throws {
        let harness = try Harness()
        harness.server.inject(.init(.hold, at: .keys))
        let held = Task { try await harness.ask("GET", "/jwks") == nil }
        while harness.server.heldAnswers == 0 { await Task.yield() }
        harness.server.stop()
        #expect(try await held.value)
    }

    @Test("A fault hits its endpoint and grant, as often as it says, in order; clearing forgets it")
    func counts() async throws {
        let harness = try Harness()
        harness.server.inject(.init(.empty400, at: .keys, count: 2))
        harness.server.inject(.init(.html, at: .keys))
        harness.server.inject(.init(.empty400, at: .token, grant: .refreshToken))
        let token = try await harness.signIn().refreshToken
        #expect(try await harness.get("/userinfo").status == 401)
        #expect(try await [harness.get("/jwks").status, harness.get("/jwks").status] == [400, 400])
        #expect(try await [harness.get("/jwks").status, harness.get("/jwks").status] == [502, 200])
        #expect(try await harness.refresh(token).status == 400)
        #expect(try await harness.refresh(token).status == 200)
        harness.server.inject(.init(.drop, at: .keys, count: 100))
        harness.server.clear()
        #expect(try await harness.get("/jwks").status == 200)
    }

    @Test("Faults that make no sense are refused")
    func refused() throws {
        let server = try Harness().server
        let faults: [DevServer.Fault] = [
            .init(.drop, at: .token, count: 0), .init(.drop, at: .token, count: -1),
            .init(.delay, at: .token, milliseconds: -1), .init(.delay, at: .token, milliseconds: 600_001),
            .init(.status, at: .token, status: 99), .init(.status, at: .token, status: 600),
            .init(.clockSkew, at: .token, seconds: .max), .init(.status, at: .token, error: "a\"b"),
        ]
        for fault in faults { #expect(!server.inject(fault)) }
        for _ in 0..<1000 { #expect(server.inject(.init(.drop, at: .token))) }
        #expect(!server.inject(.init(.drop, at: .token)))
    }
}
