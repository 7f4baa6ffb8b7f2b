import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// Which cause each refusal is observed with.
@Suite struct RefusalObservationTests {
    private static let origin = "https://api.example.com"

    /// A client, and a resource whose answers are made by a test.
    private struct Scene {
        let bench = Bench()
        let auth: AuthClient
        let resource = ScriptedTransport()
        let transport: AuthorizedTransport<ScriptedTransport>

        init(_ originClass: AuthObservation.OriginClass = "notes") async throws {
            auth = try await bench.signedIn()
            transport = try auth.authorized(
                resource, origins: [RefusalObservationTests.origin], originClass: originClass)
        }

        /// The resource's answer to the next request, after so much time.
        func answer(_ status: Int, after time: Duration = .zero, heldBy latch: Latch? = nil) {
            resource.expect(
                "GET", RefusalObservationTests.origin + "/notes",
                .made { [clock = bench.clock] _ in
                    clock.advance(by: time)
                    return TransportResponse(status: status)
                }, heldBy: latch)
        }

        @discardableResult
        func get() async throws -> Int {
            try await transport.send(
                TransportRequest("GET", RefusalObservationTests.origin + "/notes"), deadline: .seconds(86_400)
            ).status
        }
    }

    @Test(
        "a refusal's cause is the token's age by this machine's clock when the answer came", .need("D6"),
        arguments: [
            (Duration.zero, AuthObservation.RefusalCause.fresh), (.seconds(3_299), .fresh), (.seconds(3_300), .stale),
            (.seconds(3_599), .stale), (.seconds(3_600), .expired), (.seconds(7_200), .expired),
        ])
    func age(time: Duration, cause: AuthObservation.RefusalCause) async throws {
        let scene = try await Scene()
        scene.answer(401, after: time)
        scene.answer(200)
        #expect(try await scene.get() == 200)
        #expect(scene.bench.observer.refusals == [.refusal("notes", cause)])
    }

    @Test("a token that was replaced while the request was under way is superseded, and not fresh")
    func superseded() async throws {
        let scene = try await Scene()
        let latch = Latch()
        scene.answer(401, heldBy: latch)
        scene.answer(200)
        let request = Task { [scene] in try await scene.get() }
        try await scene.resource.waitForRequests(1)
        try await scene.auth.refresh()
        latch.open()
        #expect(try await request.value == 200)
        #expect(scene.bench.observer.refusals == [.refusal("notes", .superseded)])
    }

    @Test("a token of an account that signed out under way is superseded")
    func signedOut() async throws {
        let scene = try await Scene()
        let latch = Latch()
        scene.answer(401, heldBy: latch)
        let request = Task { [scene] in try await scene.get() }
        try await scene.resource.waitForRequests(1)
        try await scene.auth.signOut()
        latch.open()
        #expect(await code { try await request.value } == .signInRequired(.signedOut))
        #expect(scene.bench.observer.refusals == [.refusal("notes", .superseded)])
    }

    @Test("a token that is refused after a refusal is not accepted, however often; the person is asked once")
    func notAccepted() async throws {
        let scene = try await Scene()
        for _ in 1...4 { scene.answer(401) }
        for _ in 1...3 { #expect(try await scene.get() == 401) }
        let again = AuthObservation.refusal("notes", .notAccepted)
        #expect(scene.bench.observer.refusals == [.refusal("notes", .fresh), again, again, again])
        #expect(scene.bench.observer.returns == [.signInRequired("scripted", .notAccepted)])
    }

    @Test("no other answer is a refusal", arguments: [200, 204, 302, 400, 402, 403, 404, 407, 429, 500, 503])
    func others(status: Int) async throws {
        let scene = try await Scene()
        scene.answer(status)
        #expect(try await scene.get() == status)
        #expect(scene.bench.observer.refusals.isEmpty)
    }

    @Test("an origin whose class the app did not name is a resource")
    func unnamed() async throws {
        let scene = try await Scene()
        let transport = try scene.auth.authorized(scene.resource, origins: [Self.origin])
        scene.answer(401)
        scene.answer(200)
        _ = try await transport.send(TransportRequest("GET", Self.origin + "/notes"), deadline: .seconds(60))
        #expect(scene.bench.observer.refusals == [.refusal(.resource, .fresh)])
        #expect(AuthObservation.OriginClass.resource == "resource")
    }

    @Test("a 401 of the identity service is told as such, and no other answer of it", arguments: [200, 400, 401, 403])
    func service(status: Int) async throws {
        let scene = try await Scene()
        let service = ScriptedTransport()
        service.expect("POST", "https://id.example.com/token", .answer(TransportResponse(status: status)))
        let auth = try scene.bench.process { $0.transport(service) }
        let (context, _) = auth.engine.services.callContext(scene.bench.service.rules.binding)
        _ = try await context.transport.send(
            TransportRequest("POST", "https://id.example.com/token"), deadline: .seconds(1))
        #expect(scene.bench.observer.refusals == (status == 401 ? [.refusal(.service, .credential)] : []))
    }

    @Test("a demand for more than the token has is its own cause, and costs neither a refresh nor a sign-in")
    func insufficient() async throws {
        let bench = Bench()
        let resource = ScriptedTransport()
        resource.expect("GET", Self.origin + "/notes", .answer(TransportResponse(status: 403)))
        let auth = try AuthClient.Builder().provider(Judge(inner: bench.service)).transport(ScriptedTransport())
            .context(bench.world).settings(Bench.settings).build()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let transport = try auth.authorized(resource, origins: [Self.origin], originClass: "notes")
        _ = try await transport.send(TransportRequest("GET", Self.origin + "/notes"), deadline: .seconds(60))
        #expect(bench.observer.refusals == [.refusal("notes", .insufficient)])
        #expect(bench.observer.returns.isEmpty && bench.service.refreshCount == 0)
    }

    /// A provider that takes 403 for a demand of more.
    private struct Judge: AnswerJudging {
        let inner: ScriptedProvider
        var rules: ProviderRules { inner.rules }

        func begin(_ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext) async throws -> Turn
        {
            try await inner.begin(request, options, in: context)
        }

        func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
            try await inner.answer(answer, to: challenge, in: context)
        }

        func refresh(
            _ credential: Credential, for want: TokenWant, in context: ProviderContext
        ) async throws -> CredentialChange { try await inner.refresh(credential, for: want, in: context) }

        func verdict(on response: TransportResponse) -> TokenVerdict {
            response.status == 403 ? .insufficient(StepUp()) : .accepted
        }
    }
}
