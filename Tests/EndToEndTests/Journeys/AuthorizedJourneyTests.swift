import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeySystem
import LatchkeyOAuth
import LatchkeyOAuthCore
import LatchkeyTesting
import Proofs
import Testing

@Suite("Requests with a token, over real sockets") struct AuthorizedJourneyTests {
    /// A client of a development server, signed in for itself.
    struct Scene {
        let server: DevServer
        let auth: AuthClient

        init() async throws {
            server = try Service.start()
            auth = try AuthClient.Builder()
                .provider(
                    .oauthService(
                        issuer: server.issuer, clientID: "dev-service",
                        authentication: .basic(Secret("dev+secret/100%")))
                )
                .transport(.curl()).build()
            _ = try await auth.signIn(with: "oauth", .clientCredentials)
        }
    }

    @Test("a resource of the service answers, and a token that it refuses is refreshed once")
    func resource() async throws {
        let scene = try await Scene()
        let api = try scene.auth.authorized(CurlTransport(), origins: [scene.server.issuer])
        let request = TransportRequest("GET", scene.server.issuer + "/resource")
        #expect(try await api.send(request, deadline: .seconds(10)).status == 200)
        scene.server.inject(DevServer.Fault(.status, at: .resource, status: 401))
        #expect(try await api.send(request, deadline: .seconds(10)).status == 200)
        let log = scene.server.log()
        #expect(log.filter { $0.endpoint == .resource }.map(\.outcome) == ["ok", "not_reached", "ok"])
        #expect(log.filter { $0.endpoint == .token }.count == 2)
    }

    @Test("an app's own POST requests share a connection")
    func connections() async throws {
        let scene = try await Scene()
        let connections = Locked(0)
        let resource = try HTTPServer(accepts: { _ in
            connections.withLock { $0 += 1 }
            return .full
        }) { request in ServerResponse(status: 200, fields: [], body: request.body) }
        let origin = "http://127.0.0.1:\(resource.port)"
        let api = try scene.auth.authorized(CurlTransport(), origins: [origin])
        for number in UInt8(0)..<10 {
            let request = TransportRequest("POST", origin + "/notes", body: [number])
            #expect(try await api.send(request, deadline: .seconds(10)).body == [number])
        }
        #expect(connections.withLock { $0 } == 1)
    }

    @Test("a redirect is returned, and no token goes where it points", .standard(18))
    func redirect() async throws {
        let scene = try await Scene()
        let elsewhere = try HTTPServer { _ in ServerResponse(status: 200, fields: [], body: []) }
        let target = "http://127.0.0.1:\(elsewhere.port)/stolen"
        let first = try HTTPServer { _ in ServerResponse(status: 302, fields: [("Location", target)], body: []) }
        let origin = "http://127.0.0.1:\(first.port)"
        let api = try scene.auth.authorized(CurlTransport(), origins: [origin])
        let response = try await api.send(TransportRequest("GET", origin + "/"), deadline: .seconds(10))
        #expect(response.status == 302)
        await #expect(throws: AuthError.self) {
            try await api.send(TransportRequest("GET", response.fields["Location"] ?? ""), deadline: .seconds(10))
        }
    }

    @Test("a resource that wants more scopes is heard, and nothing is refreshed")
    func stepUp() async throws {
        let scene = try await Scene()
        let resource = try HTTPServer { _ in
            ServerResponse(
                status: 403,
                fields: [("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"notes.write\"")], body: [])
        }
        let origin = "http://127.0.0.1:\(resource.port)"
        var events = scene.auth.events.makeAsyncIterator()
        let api = try scene.auth.authorized(CurlTransport(), origins: [origin])
        #expect(try await api.send(TransportRequest("GET", origin + "/"), deadline: .seconds(10)).status == 403)
        guard case .stepUpRequired(_, let stepUp) = await events.next() else {
            Issue.record("no step-up was told")
            return
        }
        #expect(stepUp.scopes == ["notes.write"])
        #expect(scene.server.log().filter { $0.endpoint == .token }.count == 1)
    }

    @Test("a transport with tokens keeps the transport contract")
    func contract() async throws {
        let scene = try await Scene()
        let server = try HTTPServer { request in
            let routed = TransportRequest(
                request.method, request.path, fields: HeaderFields(request.fields), body: request.body)
            guard let answer = TransportRoutes.answer(to: routed) else {
                try? await Latch().wait()
                return nil
            }
            return ServerResponse(status: answer.status, fields: answer.fields.lines, body: answer.body)
        }
        let origin = "http://127.0.0.1:\(server.port)"
        let api = try scene.auth.authorized(CurlTransport(), origins: [origin, "http://127.0.0.1:1"])
        try await TransportContract(serving: origin, api).runRoutes()
    }
}
