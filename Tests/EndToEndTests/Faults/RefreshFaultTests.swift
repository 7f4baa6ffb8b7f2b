import Latchkey
import LatchkeyDevServer
import LatchkeyTesting
import Proofs
import Testing

/// What a service does to a refresh, over real sockets, and what becomes of the login.
@Suite struct RefreshFaultTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var fault: DevServer.Fault
        /// What the caller gets while the fault lasts.
        var during: String
        /// What the next process gets, when the first request can no longer arrive.
        var after: String
        var testDescription: String { "\(fault.kind.rawValue) \(fault.status ?? 0) \(fault.seconds)" }

        init(_ kind: DevServer.Fault.Kind, status: Int? = nil, seconds: Int = 0, _ during: String, then after: String) {
            fault = DevServer.Fault(kind, at: .token, grant: .refreshToken, status: status, seconds: seconds)
            self.during = during
            self.after = after
        }

        static let all = [
            Row(.drop, "offline.unreachable", then: "ok"),
            // The service acted, and strictly: the one resend is refused, and the person is told what happened.
            Row(.dropAfterActing, "offline.unreachable", then: "signInRequired.interrupted"),
            Row(.truncated, "offline.unreachable", then: "signInRequired.interrupted"),
            Row(.oversize, "untrusted.malformed", then: "signInRequired.interrupted"),
            Row(.status, status: 500, "serviceTrouble", then: "ok"),
            Row(.status, status: 503, "serviceTrouble", then: "ok"),
            Row(.retryAfter, seconds: 7, "rateLimited", then: "ok"),
            Row(.html, "serviceTrouble", then: "ok"), Row(.html, status: 200, "offline.unreachable", then: "ok"),
            // Nothing is no word of the service's, so it does not stop the next try.
            Row(.empty400, "serviceTrouble", then: "ok"),
            Row(.spentToken, "signInRequired.refused", then: "signInRequired.refused"),
            Row(.clockSkew, seconds: 3_600, "ok", then: "ok"),
            Row(.clockSkew, seconds: -3_600, "ok", then: "ok"),
        ]
    }

    @Test(
        "a refresh that goes wrong ends no session that the service's rules allow to keep", .law(3), arguments: Row.all)
    func faults(_ row: Row) async throws {
        let service = try FaultyService()
        defer { service.server.stop() }
        let auth = try await service.signedIn()
        service.clock.advance(by: .seconds(301))
        #expect(service.server.inject(row.fault))
        #expect(await outcome { try await auth.accessToken() } == row.during)
        service.clock.advance(by: .seconds(120))
        let next = try service.process()
        #expect(await outcome { try await next.accessToken() } == row.after)
        if row.after == "ok" {
            service.clock.advance(by: .seconds(301))
            #expect(await outcome { try await next.accessToken() } == "ok")
        }
    }

    @Test("while the token lasts, no trouble of the service reaches the caller", arguments: Row.all.prefix(10))
    func stillGood(_ row: Row) async throws {
        let service = try FaultyService()
        defer { service.server.stop() }
        let auth = try await service.signedIn()
        service.clock.advance(by: .seconds(280))
        #expect(service.server.inject(row.fault))
        #expect(await outcome { try await auth.accessToken() } == "ok")
    }

    @Test("a service that is gone is offline, and a sign-out is done here all the same")
    func gone() async throws {
        let service = try FaultyService()
        let auth = try await service.signedIn()
        service.server.stop()
        service.clock.advance(by: .seconds(301))
        #expect(await outcome { try await auth.accessToken() } == "offline.unreachable")
        #expect(await outcome { try await auth.signOut() } == "ok")
        #expect(try await service.process().accounts().isEmpty)
    }

    @Test("a key that the service rotated is fetched once, and the login goes on")
    func rotatedKeys() async throws {
        let service = try FaultyService()
        defer { service.server.stop() }
        let auth = try await service.signedIn()
        service.server.rotateKeys(keepingOld: false)
        service.clock.advance(by: .seconds(301))
        #expect(await outcome { try await auth.accessToken() } == "ok")
        service.clock.advance(by: .seconds(3_600))
        #expect(await outcome { try await auth.signIn(with: "oauth", .browser(), asking: service.browser) } == "ok")
    }

    @Test("eight processes that want a newer token send one refresh, and all have its token", .law(1), .standard(11))
    func eightProcesses() async throws {
        let server = try DevServer(.init(port: 0, autoApprove: true))
        defer { server.stop() }
        // By the machine's clock: the lane is a lock file, looked at in its interval.
        let service = FaultyService(server, context: .system)
        _ = try await service.signedIn()
        let processes = try (0..<8).map { _ in try service.process() }
        for auth in processes { try await auth.restore() }
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for auth in processes { group.addTask { try await auth.refresh().value.revealText() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(server.log().filter { $0.endpoint == .token && $0.grant == "refresh_token" }.count == 1)
    }
}
