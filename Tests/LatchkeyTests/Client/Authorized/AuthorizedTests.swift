import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

@Suite struct AuthorizedTests {
    static let origin = "https://api.example.com"
    static let deadline = Duration.seconds(60)

    /// A resource that takes some tokens, and the client that asks it.
    struct Scene {
        let bench: Bench
        let auth: AuthClient
        let resource = ScriptedTransport()
        let taken = Locked<Set<String>>([])
        let seen = Locked<[String]>([])

        init(lifetime: Duration = .seconds(3_600), rules: ProviderRules = .scripted()) async throws {
            bench = Bench(rules: rules, tokenLifetime: lifetime)
            auth = try await bench.signedIn()
            for method in ["GET", "POST"] {
                resource.always(
                    method, AuthorizedTests.origin + "/notes",
                    .made { [taken, seen] request in
                        let token = request.fields["Authorization"].map { String($0.dropFirst("Bearer ".count)) } ?? ""
                        seen.withLock { $0.append(token) }
                        return TransportResponse(status: taken.withLock { $0.contains(token) } ? 200 : 401)
                    })
            }
        }

        func take(_ tokens: String...) { taken.withLock { $0.formUnion(tokens) } }

        var transport: AuthorizedTransport<ScriptedTransport> {
            get throws { try auth.authorized(resource, origins: [AuthorizedTests.origin]) }
        }

        @discardableResult
        func get(_ method: String = "GET", mayBeRepeated: Bool = true) async throws -> Int {
            var request = TransportRequest(
                method, AuthorizedTests.origin + "/notes", body: method == "POST" ? [1] : nil)
            request.mayBeRepeated = mayBeRepeated
            return try await transport.send(request, deadline: AuthorizedTests.deadline).status
        }

        var account: AccountID { AccountID(subject: "alice", of: bench.service.rules.binding) }
    }

    @Test("a token goes to allowed origins, as a bearer", .standard(48), .complaint(.supabase, 28))
    func allowed() async throws {
        let scene = try await Scene()
        scene.take("access-1")
        #expect(try await scene.get() == 200)
        #expect(scene.seen.withLock { $0 } == ["access-1"])
    }

    @Test(
        "no token, and no request, goes to an origin that was not allowed", .standard(18),
        arguments: [
            "http://api.example.com/notes", "https://api.example.com:8443/notes", "https://example.com/notes",
            "https://api.example.com.evil.example/notes", "https://evil.example/?https://api.example.com",
            "https://sub.api.example.com/notes",
        ])
    func otherOrigin(url: String) async throws {
        let scene = try await Scene()
        let transport = try scene.transport
        let found = await code { try await transport.send(TransportRequest("GET", url), deadline: Self.deadline) }
        #expect(found == .configuration(.invalid))
        #expect(scene.resource.requests.isEmpty)
    }

    @Test("no origin is allowed by default", .standard(18))
    func noneByDefault() async throws {
        let scene = try await Scene()
        let transport = try scene.auth.authorized(scene.resource)
        let request = TransportRequest("GET", Self.origin + "/notes")
        #expect(await code { try await transport.send(request, deadline: Self.deadline) } == .configuration(.invalid))
        #expect(scene.resource.requests.isEmpty)
    }

    @Test(
        "what is no origin, or would carry tokens in the clear, is refused at once",
        arguments: [
            "", "*", "api.example.com", "https://", "https://*.example.com/x", "https://api.example.com/notes",
            "https://api.example.com?x", "https://user@api.example.com", "http://api.example.com", "ftp://127.0.0.1",
            "https://api.example.com#x",
        ])
    func badOrigins(origin: String) async throws {
        let scene = try await Scene()
        #expect(await code { try scene.auth.authorized(scene.resource, origins: [origin]) } == .configuration(.invalid))
    }

    @Test(
        "a request with a field that decides where it goes or where it ends is refused, and not sent",
        arguments: [
            ("Host", "evil.example"), ("hOST", "evil.example"), ("Content-Length", "0"),
            ("Transfer-Encoding", "chunked"), ("Connection", "upgrade"), ("Keep-Alive", "timeout=1"),
            ("TE", "trailers"),
            ("Trailer", "x"), ("Upgrade", "h2c"), ("HTTP2-Settings", "AAMAAABkAAQAAP__"), ("Expect", "100-continue"),
            ("Proxy-Authorization", "Basic eDp5"), ("Proxy-Connection", "keep-alive"),
            ("Forwarded", "host=evil.example"),
            ("X-Forwarded-Host", "evil.example"), ("X-Original-URL", "/admin"), ("X-Rewrite-URL", "/admin"),
        ])
    func fieldsThatDivert(name: String, value: String) async throws {
        let scene = try await Scene()
        let transport = try scene.transport
        let request = TransportRequest("GET", Self.origin + "/notes", fields: HeaderFields([(name, value)]))
        #expect(await code { try await transport.send(request, deadline: Self.deadline) } == .configuration(.invalid))
        #expect(scene.resource.requests.isEmpty)
    }

    @Test(
        "a field that is no line of a head is refused as no request, and not sent",
        arguments: [
            (":authority", "evil.example"), ("Host ", "evil.example"), ("", "x"), ("A\r\nHost", "evil.example"),
            ("Accept", "x\r\nHost: evil.example"), ("Accept", "x\nHost: evil.example"), ("Accept", "x\0"),
        ])
    func brokenLines(name: String, value: String) async throws {
        let scene = try await Scene()
        let transport = try scene.transport
        let request = TransportRequest("GET", Self.origin + "/notes", fields: HeaderFields([(name, value)]))
        await #expect(throws: TransportError(.invalidRequest, wasSent: false)) {
            try await transport.send(request, deadline: Self.deadline)
        }
        #expect(scene.resource.requests.isEmpty)
    }

    @Test("a request with an Authorization of its own is refused, and not sent", .standard(48))
    func ownAuthorization() async throws {
        let scene = try await Scene()
        let transport = try scene.transport
        let request = TransportRequest("GET", Self.origin + "/notes", fields: ["authorization": "Basic eDp5"])
        #expect(await code { try await transport.send(request, deadline: Self.deadline) } == .configuration(.invalid))
        #expect(scene.resource.requests.isEmpty)
    }

    @Test(
        "a refused token is refreshed once, and the request repeated once", .law(9), .complaint(.clerk, 1),
        arguments: ["GET", "POST"])
    func refusedOnce(method: String) async throws {
        let scene = try await Scene()
        scene.take("access-2")
        #expect(try await scene.get(method) == 200)
        #expect(scene.seen.withLock { $0 } == ["access-1", "access-2"])
        #expect(scene.bench.service.refreshCount == 1)
        #expect(try await scene.get(method) == 200)
        #expect(scene.bench.service.refreshCount == 1)
    }

    @Test("a request that must not be repeated is not; the newer token is there for the next one", .law(9))
    func notRepeated() async throws {
        let scene = try await Scene()
        scene.take("access-2")
        #expect(try await scene.get("POST", mayBeRepeated: false) == 401)
        #expect(scene.seen.withLock { $0 } == ["access-1"])
        #expect(try await scene.get("POST", mayBeRepeated: false) == 200)
        #expect(scene.bench.service.refreshCount == 1)
    }

    @Test(
        "what may not be written twice is written once, over a kept connection, if it does not ask for another one",
        .law(9))
    func writing() async throws {
        let scene = try await Scene()
        scene.take("access-2")
        #expect(try await scene.get("GET") == 200)
        #expect(try await scene.get("GET", mayBeRepeated: false) == 200)
        #expect(try await scene.get("POST") == 200)
        var request = TransportRequest("POST", Self.origin + "/notes", body: [1])
        for writing in [TransportRequest.Writing.onceOnNewConnection, .twice] {
            request.writing = writing
            _ = try await scene.transport.send(request, deadline: Self.deadline)
        }
        let found = scene.resource.requests.map(\.writing)
        #expect(found == [.byMethod, .byMethod, .once, .once, .onceOnNewConnection, .twice])
    }

    @Test(
        "a resource that refuses every token gets one refresh and one retry, is told of once, and ends no session",
        .law(9), .need("D3"))
    func neverAccepted() async throws {
        let scene = try await Scene()
        let stream = scene.auth.events
        for _ in 0..<10 { #expect(try await scene.get() == 401) }
        #expect(scene.bench.service.refreshCount == 1)
        #expect(scene.seen.withLock { $0.count } == 11)
        #expect(scene.auth.currentToken()?.value.revealText() == "access-2")
        try await scene.auth.signOut()
        scene.auth.engine.accounts.hub.close()
        let told = await stream.reduce(into: []) { $0.append($1) }
        #expect(
            told == [
                .refreshed(scene.account, .standard), .authenticationRequired(scene.account, .notAccepted),
                .signedOut(scene.account, by: .app), .currentChanged(nil),
            ])
    }

    @Test("a token that was taken in between and refused later is refreshed again")
    func refusedLater() async throws {
        let scene = try await Scene()
        scene.take("access-2")
        #expect(try await scene.get() == 200)
        scene.taken.withLock { $0 = ["access-3"] }
        #expect(try await scene.get() == 200)
        #expect(scene.bench.service.refreshCount == 2)
    }

    @Test("a resource that refuses every token costs one refresh for each token that the session comes by otherwise")
    func neverAcceptedForDays() async throws {
        let scene = try await Scene(lifetime: .seconds(3_600))
        for _ in 0..<10 {
            for _ in 0..<5 { #expect(try await scene.get() == 401) }
            scene.bench.clock.advance(by: .seconds(3_600))
        }
        #expect(scene.bench.service.refreshCount <= 20)
    }

    @Test("one origin's refusals do not spend another origin's refresh")
    func twoOrigins() async throws {
        let scene = try await Scene()
        let other = "https://other.example.com"
        scene.resource.always("GET", other + "/", .answer(TransportResponse(status: 401)))
        scene.take("access-1", "access-2", "access-3")
        let transport = try scene.auth.authorized(scene.resource, origins: [Self.origin, other])
        for _ in 0..<5 {
            #expect(
                try await transport.send(TransportRequest("GET", other + "/"), deadline: Self.deadline).status == 401)
            #expect(try await scene.get() == 200)
        }
        #expect(scene.bench.service.refreshCount == 1)
    }

    @Test("a refusal that arrives after its token was refreshed makes no second refresh", .law(9))
    func lateRefusal() async throws {
        let scene = try await Scene()
        scene.take("access-2")
        let asked = Latch()
        let hold = Latch()
        scene.resource.always(
            "GET", Self.origin + "/slow",
            .made { request in
                guard request.fields["Authorization"] == "Bearer access-1" else {
                    return TransportResponse(status: 200)
                }
                asked.open()
                try await hold.wait()
                return TransportResponse(status: 401)
            })
        let transport = try scene.transport
        let slow = Task {
            try await transport.send(TransportRequest("GET", Self.origin + "/slow"), deadline: Self.deadline).status
        }
        try await asked.wait()
        #expect(try await scene.get() == 200)
        hold.open()
        #expect(try await slow.value == 200)
        #expect(scene.bench.service.refreshCount == 1)
    }

    @Test(
        "a token that had come before the first one was refused is asked about too, for the next request", .law(9)
    )
    func replacedMeanwhile() async throws {
        for takes in [["access-3"], []] {
            let scene = try await Scene()
            scene.taken.withLock { $0 = Set(takes) }
            let (asked, hold) = (Latch(), Latch())
            scene.resource.expect(
                "GET", Self.origin + "/notes",
                .made { [seen = scene.seen] _ in
                    seen.withLock { $0.append("access-1") }
                    asked.open()
                    try await hold.wait()
                    return TransportResponse(status: 401)
                })
            let stream = scene.auth.events
            let request = Task { try await scene.get() }
            try await asked.wait()
            _ = try await scene.auth.refresh()
            hold.open()
            #expect(try await request.value == 401)
            #expect(scene.seen.withLock { $0 } == ["access-1", "access-2"])
            #expect(scene.auth.currentToken()?.value.revealText() == "access-3")
            for _ in 0..<3 { #expect(try await scene.get() == (takes.isEmpty ? 401 : 200)) }
            #expect(scene.bench.service.refreshCount == 2)
            scene.auth.engine.accounts.hub.close()
            let told = await stream.reduce(into: []) { $0.append($1) }
            #expect(told.filter { $0 == .authenticationRequired(scene.account, .notAccepted) }.count == 1 - takes.count)
        }
    }

    @Test(
        "a refusal that comes late, of a token whose successor was accepted meanwhile, does not count against that one",
        .law(9))
    func refusedLateAfterSuccess() async throws {
        let scene = try await Scene()
        scene.take("access-2")
        let (asked, hold) = (Latch(), Latch())
        scene.resource.expect(
            "GET", Self.origin + "/notes",
            .made { _ in
                asked.open()
                try await hold.wait()
                return TransportResponse(status: 401)
            })
        let late = Task { try await scene.get() }
        try await asked.wait()
        #expect(try await scene.get() == 200)
        scene.taken.withLock { $0 = ["access-3"] }
        hold.open()
        #expect(try await late.value == 401)
        #expect(try await scene.get() == 200)
        #expect(scene.seen.withLock { $0 } == ["access-1", "access-2", "access-2", "access-3"])
        #expect(scene.bench.service.refreshCount == 2)
    }

    @Test("while locked nothing is sent")
    func locked() async throws {
        let bench = Bench()
        let resource = ScriptedTransport()
        let auth = try bench.process { $0.unlock(ScriptedUnlock(clock: bench.clock), reason: "Show the notes") }
        let transport = try auth.authorized(resource, origins: [Self.origin])
        let request = TransportRequest("GET", Self.origin + "/notes")
        #expect(await code { try await transport.send(request, deadline: Self.deadline) } == .locked)
        #expect(resource.requests.isEmpty)
    }

    @Test("nobody signed in: nothing is sent, and the caller told")
    func signedOut() async throws {
        let scene = try await Scene()
        try await scene.auth.signOut()
        #expect(await code { try await scene.get() } == .signInRequired(.signedOut))
        #expect(scene.resource.requests.isEmpty)
    }
}
