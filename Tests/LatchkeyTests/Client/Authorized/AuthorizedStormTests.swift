import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// A thousand requests that are all answered 401, none before the last has arrived.
@Suite struct AuthorizedStormTests {
    static let count = 1_000
    static let origin = "https://api.example.com"

    struct Scene {
        let bench = Bench()
        let auth: AuthClient
        let resource = ScriptedTransport()
        let stream: AsyncStream<AuthEvent>
        let account: AccountID

        init() async throws {
            auth = try await bench.signedIn()
            stream = auth.events
            account = AccountID(subject: "alice", of: bench.service.rules.binding)
            let everybody = Latch()
            let arrived = Locked(0)
            resource.always(
                "GET", AuthorizedStormTests.origin + "/",
                .made { request in
                    guard request.fields["Authorization"] == "Bearer access-1" else {
                        return TransportResponse(status: 200)
                    }
                    if arrived.withLock({
                        $0 += 1
                        return $0 == AuthorizedStormTests.count
                    }) {
                        everybody.open()
                    }
                    try await everybody.wait()
                    return TransportResponse(status: 401)
                })
        }

        /// What the requests come to: how many of each status, or of each error's code.
        func storm(
            deadline: Duration = .seconds(60), meanwhile: @Sendable () async throws -> Void = {}
        ) async throws -> [String: Int] {
            let transport = try auth.authorized(resource, origins: [AuthorizedStormTests.origin])
            return try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<AuthorizedStormTests.count {
                    group.addTask {
                        do {
                            let request = TransportRequest("GET", AuthorizedStormTests.origin + "/")
                            return "\(try await transport.send(request, deadline: deadline).status)"
                        } catch let error as AuthError {
                            return "\(error.code)"
                        } catch let error as TransportError {
                            return error.code.rawValue
                        }
                    }
                }
                try await meanwhile()
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
        }

        /// What was told since the sign-in, up to a sign-out that ends the listening.
        func told() async throws -> [AuthEvent] {
            _ = try? await auth.signOut()
            auth.engine.accounts.hub.close()
            return await stream.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("1,000 refused requests make one refresh, one retry each, and one event", .law(9))
    func refreshed() async throws {
        let scene = try await Scene()
        #expect(try await scene.storm() == ["200": 1_000])
        #expect(scene.bench.service.refreshCount == 1)
        #expect(scene.resource.requests.count == 2_000)
        #expect(
            try await scene.told() == [
                .refreshed(scene.account, .standard), .signedOut(scene.account, by: .app),
                .currentChanged(nil),
            ])
    }

    @Test("1,000 refused requests, and the refresh is refused: one refresh, no retry, one event", .law(9), .need("D3"))
    func refused() async throws {
        let scene = try await Scene()
        scene.bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        #expect(try await scene.storm() == ["\(AuthError.Code.signInRequired(.refused))": 1_000])
        #expect(scene.bench.service.refreshCount == 1)
        #expect(scene.resource.requests.count == 1_000)
        let told = try await scene.told()
        #expect(told.filter { $0 == .authenticationRequired(scene.account, .refused) }.count == 1)
        #expect(told.filter { if case .authenticationRequired = $0 { true } else { false } }.count == 1)
    }

    @Test(
        "1,000 refused requests, and the refresh is refused without a reason: one refresh, no retry, one event", .law(9)
    )
    func unexplained() async throws {
        let scene = try await Scene()
        scene.bench.service.script(refreshes: .refused(Refusal(.unexplained, code: "empty")))
        #expect(try await scene.storm() == ["\(AuthError.Code.signInRequired(.refusedWithoutReason))": 1_000])
        #expect(scene.bench.service.refreshCount == 1)
        #expect(scene.resource.requests.count == 1_000)
        let told = try await scene.told()
        #expect(told.filter { if case .authenticationRequired = $0 { true } else { false } }.count == 1)
    }

    @Test("1,000 refused requests, and the service cannot be reached: one refresh, no retry, no sign-out")
    func unreachable() async throws {
        let scene = try await Scene()
        scene.bench.service.script(refreshes: .failed(TransportError(.timedOut, wasSent: true)))
        #expect(try await scene.storm() == ["\(AuthError.Code.offline(.unreachable))": 1_000])
        #expect(scene.bench.service.refreshCount == 1)
        #expect(scene.resource.requests.count == 1_000)
        #expect(try await scene.auth.accounts().count == 1)
        let told = try await scene.told()
        #expect(told.allSatisfy { if case .authenticationRequired = $0 { false } else { true } })
    }

    @Test("1,000 refused requests, and the refresh takes its time: all wait for the one, and retry once", .law(9))
    func delayed() async throws {
        let scene = try await Scene()
        let hold = Latch()
        scene.bench.service.script(refreshes: .held(hold, then: .rotated))
        let outcome = try await scene.storm {
            try await scene.bench.service.waitForRefreshes(1)
            hold.open()
        }
        #expect(outcome == ["200": 1_000])
        #expect(scene.bench.service.refreshCount == 1)
        #expect(scene.resource.requests.count == 2_000)
    }

    @Test("1,000 refused requests, and the refresh outlasts their deadline: each ends at it, and the refresh goes on")
    func pastDeadline() async throws {
        let scene = try await Scene()
        let hold = Latch()
        scene.bench.service.script(refreshes: .held(hold, then: .rotated))
        let outcome = try await scene.storm(deadline: .seconds(3)) {
            try await scene.bench.service.waitForRefreshes(1)
            scene.bench.clock.advance(by: .seconds(3))
        }
        #expect(outcome == ["timedOut": 1_000])
        hold.open()
        #expect(try await scene.auth.refresh().value.revealText() != "access-1")
        #expect(scene.bench.service.sentSecrets.first == "refresh-1")
        #expect(Set(scene.bench.service.sentSecrets).count == scene.bench.service.refreshCount)
    }

    @Test(
        "1,000 refused requests, and the person signs out meanwhile: no token afterwards, no retry, one event", .law(9),
        .need("D3"))
    func signedOut() async throws {
        let scene = try await Scene()
        let hold = Latch()
        scene.bench.service.script(refreshes: .held(hold, then: .rotated))
        let outcome = try await scene.storm {
            try await scene.bench.service.waitForRefreshes(1)
            try await scene.auth.signOut()
            hold.open()
        }
        #expect(outcome == ["\(AuthError.Code.signInRequired(.signedOut))": 1_000])
        #expect(scene.bench.service.refreshCount == 1)
        #expect(scene.resource.requests.count == 1_000)
        #expect(scene.auth.currentToken() == nil)
        try await scene.bench.service.waitForRevocations(1)
        #expect(scene.bench.service.revokedSecrets.contains("refresh-2"))
        #expect(try await scene.told().filter { $0 == .signedOut(scene.account, by: .app) }.count == 1)
    }
}
