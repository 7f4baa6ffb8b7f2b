import FoundationEssentials
import LatchkeySystem
import LatchkeyTesting
import Proofs
import TaskSettling
import Testing

@testable import Latchkey

@Suite("warnings before a session ends") struct ExpiryTests {
    private let bench = Bench(tokenLifetime: .seconds(100 * 86_400))
    private var alice: AccountID { AccountID(subject: "alice", of: bench.service.rules.binding) }

    @Test("an absolute limit is told five minutes ahead, once, and a refresh takes nothing back", .need("N10"))
    func absolute() async throws {
        let auth = try await signedIn(SessionLimits(absolute: lasting(3_600)))
        let warnings = Warnings(auth)
        try await wake(after: 3_299)
        #expect(await warnings.heard() == [])
        try await wake(after: 1)
        #expect(await warnings.heard() == [Expiry(.absolute, in: .seconds(300))])
        #expect(Expiry(.absolute, in: .zero).remedy == .signIn)
        bench.service.script(refreshes: .refreshed(change(limits: SessionLimits(absolute: lasting(300)))))
        try await auth.refresh()
        try await wake(after: 299)
        #expect(await warnings.heard() == [], "The same end was told before.")
    }

    @Test("an idle limit is told, and a refresh that moves it sets the warning anew", .need("N10"))
    func idle() async throws {
        let auth = try await signedIn(SessionLimits(idle: lasting(3_600)))
        let warnings = Warnings(auth)
        try await wake(after: 3_000)
        bench.service.script(refreshes: .refreshed(change(limits: SessionLimits(idle: lasting(3_600)))))
        try await auth.refresh()
        try await wake(after: 3_299)
        #expect(await warnings.heard() == [], "The end has moved.")
        try await wake(after: 1)
        #expect(await warnings.heard() == [Expiry(.idle, in: .seconds(300))])
        #expect(Expiry(.idle, in: .zero).remedy == .refresh)
    }

    @Test("a short session is told of at its last quarter")
    func short() async throws {
        let auth = try await signedIn(SessionLimits(absolute: lasting(80)))
        let warnings = Warnings(auth)
        try await wake(after: 60)
        #expect(await warnings.heard() == [Expiry(.absolute, in: .seconds(20))])
    }

    @Test("a wall clock that jumps tells nothing early")
    func jump() async throws {
        let auth = try await signedIn(SessionLimits(absolute: lasting(86_400)))
        let warnings = Warnings(auth)
        bench.clock.setWall(bench.clock.wall().addingTimeInterval(400 * 86_400))
        try await wake(after: 60)
        #expect(await warnings.heard() == [])
        bench.clock.setWall(bench.clock.wall().addingTimeInterval(-900 * 86_400))
        try await wake(after: 60)
        #expect(await warnings.heard() == [])
    }

    @Test("an account that is signed out is not told of")
    func signedOut() async throws {
        let auth = try await signedIn(SessionLimits(absolute: lasting(3_600)))
        let warnings = Warnings(auth)
        try await auth.signOut()
        try await wake(after: 3_500)
        #expect(await warnings.heard() == [])
    }

    @Test("a limit that passed before the launch is not told of: the service has the last word")
    func passed() async throws {
        _ = try await signedIn(SessionLimits(absolute: lasting(3_600)))
        bench.clock.advance(by: .seconds(4_000))
        let later = try bench.process(seed: 9)
        let warnings = Warnings(later)
        try await later.restore()
        try await wake(after: 60)
        #expect(await warnings.heard() == [])
        #expect(later.currentToken() != nil, "No limit ends a session here.")
    }

    @Test("the limits are stored, so that a later launch warns too")
    func launch() async throws {
        _ = try await signedIn(SessionLimits(absolute: lasting(3_600), idle: lasting(7_200)))
        bench.clock.advance(by: .seconds(3_000))
        let later = try bench.process(seed: 9)
        let warnings = Warnings(later)
        try await later.restore()
        try await wake(after: 300)
        #expect(await warnings.heard() == [Expiry(.absolute, in: .seconds(300))])
    }

    @Test("a token that cannot be refreshed ahead of need is told of once, however often that fails", .need("D5"))
    func access() async throws {
        let bench = Bench()
        _ = try await bench.signedIn()
        let auth = try bench.wakefulProcess()
        let warnings = Warnings(auth)
        try await auth.restore()
        for _ in 0..<64 { bench.service.script(refreshes: .failed(TransportError(.unreachable, wasSent: false))) }
        bench.clock.advance(by: .seconds(3_290))
        try await bench.run { try await bench.until { bench.service.refreshCount >= 5 } }
        await bench.settle()
        let heard = await warnings.heard()
        #expect(heard.map(\.cause) == [.access])
        #expect(heard.allSatisfy { $0.rest > .zero && $0.rest <= .seconds(300) })
    }

    @Test("an end that a refresh does not move is absolute, one that moves is idle")
    func kind() {
        let first = SessionLimits(idle: lasting(3_600))
        bench.clock.advance(by: .seconds(600))
        let moved = first.refreshed(lasting(3_600))
        #expect(moved == SessionLimits(idle: lasting(3_600)))
        bench.clock.advance(by: .seconds(600))
        let still = moved.refreshed(lasting(2_999))
        #expect(still == SessionLimits(absolute: moved.idle), "A second more or less is the service's rounding.")
        #expect(still.refreshed(lasting(3_000)) == still)
        #expect(SessionLimits().refreshed(lasting(60)) == SessionLimits(idle: lasting(60)))
    }

    // MARK: - The scene

    private func lasting(_ seconds: Int64) -> Lifetime {
        let clock = bench.clock
        return Lifetime(receivedAt: clock.now(), boot: clock.boot, wall: clock.wall(), lasts: .seconds(seconds))
    }

    private func session(_ limits: SessionLimits) -> AuthSession {
        let token = AccessToken(Secret("access"), lifetime: lasting(100 * 86_400))
        var session = AuthSession(id: .init("s"), account: alice, label: "alice", tokens: [.standard: token])
        session.limits = limits
        return session
    }

    private func change(limits: SessionLimits) -> CredentialChange {
        CredentialChange(refreshToken: Secret("next"), sessions: [session(limits)])
    }

    private func signedIn(_ limits: SessionLimits) async throws -> AuthClient {
        let auth = try bench.process()
        bench.service.script(turns: .turn(.signedIn(Grant(refreshToken: Secret("first"), session(limits)))))
        _ = try await auth.signIn(with: "scripted", .anonymous)
        return auth
    }

    private func wake(after seconds: Int64) async throws {
        await bench.settle()
        bench.clock.advance(by: .seconds(seconds))
        await bench.settle()
    }
}

/// The warnings of a client, as they come.
private final class Warnings: Sendable {
    private let found = Locked<[Expiry]>([])

    init(_ auth: AuthClient) {
        let events = auth.events
        Task { [found] in
            for await event in events {
                guard case .expiring(_, let expiry) = event else { continue }
                found.withLock { $0.append(expiry) }
            }
        }
    }

    /// Those since the last call.
    func heard() async -> [Expiry] {
        await settleTasks()
        return found.withLock { found in
            defer { found = [] }
            return found
        }
    }
}
