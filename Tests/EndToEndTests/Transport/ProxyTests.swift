import Glibc
import LatchkeySystem
import LatchkeyTesting
import Testing

@Suite(
    "Proxies at tinyproxy", .serialized,
    .enabled(
        if: Gateway.Kind.nginx.isWanted && Gateway.Kind.tinyproxy.isWanted,
        Comment(rawValue: "\(Gateway.Kind.nginx.missing); the same for tinyproxy")))
struct ProxyTests {
    /// How a request goes through a proxy.
    enum Way: String, CaseIterable, CustomStringConvertible {
        /// As it is: the proxy reads it, and sends another one.
        case plain
        /// In a tunnel, by `CONNECT`, for TLS.
        case tunnel

        var description: String { rawValue }
    }

    /// What is sent.
    enum What: String, CaseIterable, CustomStringConvertible {
        case get = "GET"
        case postOnce = "POST once"
        case post = "POST"

        var description: String { rawValue }
        var method: String { self == .get ? "GET" : "POST" }
        var writing: String { self == .postOnce ? "once" : "byMethod" }
        var content: String { self == .get ? "-" : "a=b" }
    }

    /// A service, the same behind TLS, and a process that reaches both by what its environment says.
    struct Scene {
        let service: CountingService
        let nginx: Gateway
        let proxy: Gateway
        private let user: HeldProcess

        /// - Parameters:
        ///   - password: What the proxy asks for, as `NAME:PASSWORD`.
        ///   - given: What the process has of it.
        init(password: String? = nil, given: String? = nil) async throws {
            service = try CountingService()
            nginx = try await Gateway.start(.nginx, ["--backend", service.origin])
            proxy = try await Gateway.start(.tinyproxy, password.map { ["--user", $0] } ?? [])
            let address = "http://\(given.map { "\($0)@" } ?? "")127.0.0.1:\(proxy.port)"
            let unset = ["no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY", "HTTPS_PROXY"].flatMap { ["-u", $0] }
            user = try HeldProcess(
                "/usr/bin/env",
                unset + ["http_proxy=\(address)", "https_proxy=\(address)", try Tool.built("proxy-user"), nginx.caFile])
        }

        /// What comes of a request. Its host is this machine by a name that a proxy is asked for.
        func send(_ way: Way, _ what: What, _ path: String = "/notes", host: String = "0.0.0.0", port: UInt16? = nil)
            async throws -> String
        {
            let place =
                way == .plain ? "http://\(host):\(port ?? service.port)" : "https://\(host):\(port ?? nginx.port)"
            user.tell("\(what.method) \(place)\(path) \(what.writing) \(what.content)")
            let line = await DetachedThread.run { [user] in user.hear(within: 60) }
            return try #require(line.flatMap { $0 }, "The process says nothing.")
        }

        /// How many requests the proxy was asked to carry: for a tunnel, as many as were opened.
        var asked: Int {
            get throws { try proxy.lines(of: "server.log").count { $0.contains("Request (file descriptor") } }
        }
    }

    /// The line that stands for a case.
    private func show(_ name: String, _ outcome: String, _ scene: Scene) {
        print("proxy \(name): \(outcome), received=\(scene.service.total)")
    }

    @Test("A request goes through the environment's proxy, and is received once", arguments: Way.allCases)
    func passes(way: Way) async throws {
        let scene = try await Scene()
        let outcome = try await scene.send(way, .post)
        show("\(way)", outcome, scene)
        #expect(outcome == "200" && scene.service.total == 1)
        #expect(try scene.asked == 1)
    }

    @Test("What is written once shares a tunnel, and any other POST has its own", arguments: [What.postOnce, .post])
    func tunnels(what: What) async throws {
        let scene = try await Scene()
        for number in 0..<5 { #expect(try await scene.send(.tunnel, what, "/\(number)") == "200") }
        let asked = try scene.asked
        show("tunnel \(what), five times", "tunnels=\(asked)", scene)
        #expect(asked == (what == .postOnce ? 1 : 5) && scene.service.total == 5)
    }

    @Test("This machine is reached without a proxy", arguments: Way.allCases)
    func local(way: Way) async throws {
        let scene = try await Scene()
        let outcome = try await scene.send(way, .post, host: "127.0.0.1")
        show("\(way) to this machine", outcome, scene)
        #expect(outcome == "200" && scene.service.total == 1)
        #expect(try scene.asked == 0)
    }

    @Test(
        "A proxy that asks for a password gets the one of its address; without it, nothing is received",
        arguments: Way.allCases, ["user:word", "user:wrong", nil])
    func password(way: Way, given: String?) async throws {
        let scene = try await Scene(password: "user:word", given: given)
        let kind = given == nil ? "missing" : given == "user:word" ? "right" : "wrong"
        for what in What.allCases {
            let before = scene.service.total
            let outcome = try await scene.send(way, what)
            show("\(way) \(what), password \(kind)", outcome, scene)
            guard given != "user:word" else {
                #expect(outcome == "200" && scene.service.total == before + 1)
                continue
            }
            // A plain request is answered by the proxy, as 401 if the password is wrong, which is tinyproxy's own way.
            // A tunnel that is not opened carries no request.
            expect(outcome, given == nil ? "407" : "401", by: way, to: what)
            #expect(scene.service.total == 0)
        }
    }

    /// What a proxy says itself: of a plain request, an answer. tinyproxy leaves content unread, and the answer may go
    /// down with the connection then.
    private func expect(_ outcome: String, _ status: String, by way: Way, to what: What) {
        switch (way, what) {
        case (.tunnel, _):
            let cause = status == "407" ? "proxyPassword" : "proxyRefused"
            #expect(outcome == "unreachable (\(cause)), not sent")
        case (.plain, .get): #expect(outcome == status)
        case (.plain, _): #expect([status, "interrupted, may have been sent"].contains(outcome))
        }
    }

    @Test(
        "A proxy that dies with a request under way: it may have been sent, and is not sent again",
        .timeLimit(.minutes(2)), arguments: Way.allCases)
    func dies(way: Way) async throws {
        for what in [What.postOnce, .post] {
            let scene = try await Scene()
            // A tunnel is kept. tinyproxy closes any other connection, and what is written once may meet one that it closes.
            if way == .tunnel { #expect(try await scene.send(way, .postOnce, "/first") == "200") }
            async let outcome = scene.send(way, what, "/held")
            try await scene.service.isFull.wait()
            try await scene.proxy.die()
            let found = try await outcome
            scene.service.release.open()
            show("\(way) \(what), dies under it", found, scene)
            #expect(found == "interrupted, may have been sent")
            #expect(scene.service.received("/held") == 1)
        }
    }

    @Test("A proxy that has died: nothing is sent", arguments: Way.allCases)
    func isDead(way: Way) async throws {
        let scene = try await Scene()
        #expect(try await scene.send(way, .postOnce, "/first") == "200")
        try await scene.proxy.die()
        for what in What.allCases {
            let outcome = try await scene.send(way, what)
            show("\(way) \(what), died before", outcome, scene)
            #expect(outcome == "unreachable (proxy), not sent")
        }
        #expect(scene.service.received("/notes") == 0)
    }

    @Test(
        "A service that the proxy does not reach: its answer to a plain request, and no tunnel", arguments: Way.allCases
    )
    func unreached(way: Way) async throws {
        let scene = try await Scene()
        let port = try HeldServer.freePort()
        for what in What.allCases {
            let outcome = try await scene.send(way, what, port: port)
            show("\(way) \(what), to nobody", outcome, scene)
            expect(outcome, "500", by: way, to: what)
        }
    }
}
