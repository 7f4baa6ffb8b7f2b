import FoundationEssentials
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

@Suite("until when the service lets a session live") struct SessionEndTests {
    private let bench = Bench()
    private var alice: AccountID { AccountID(subject: "alice", of: bench.service.rules.binding) }

    private func lasting(_ seconds: Int64) -> Lifetime {
        let clock = bench.clock
        return Lifetime(receivedAt: clock.now(), boot: clock.boot, wall: clock.wall(), lasts: .seconds(seconds))
    }

    private func session(_ limits: SessionLimits?) -> AuthSession {
        let token = AccessToken(Secret("access"), lifetime: lasting(60))
        var session = AuthSession(id: .init("s"), account: alice, label: "alice", tokens: [.standard: token])
        session.limits = limits
        return session
    }

    private func account(_ auth: AuthClient) async throws -> Account { try #require(try await auth.accounts().first) }

    private func signedIn(_ limits: SessionLimits?, seed: UInt64 = 7) async throws -> AuthClient {
        let auth = try bench.process(seed: seed)
        bench.service.script(turns: .turn(.signedIn(Grant(refreshToken: Secret("first"), session(limits)))))
        _ = try await auth.signIn(with: "scripted", .anonymous)
        return auth
    }

    @Test("is the first of the ends that the service has told, and unknown without any")
    func known() async throws {
        let both = SessionLimits(absolute: lasting(7_200), idle: lasting(600))
        let cases = [(both, 600.0), (SessionLimits(absolute: lasting(7_200)), 7_200), (nil, nil)]
        for (seed, (limits, seconds)) in zip((20 as UInt64)..., cases) {
            let now = bench.clock.wall()
            let auth = try await signedIn(limits, seed: seed)
            #expect(try await account(auth).sessionUntil == seconds.map { now.addingTimeInterval($0) })
            try await auth.signOut()
        }
    }

    @Test(
        "once it has passed and the access token has ended, the person must sign in; a refresh is still tried", .law(3))
    func over() async throws {
        let auth = try await signedIn(SessionLimits(idle: lasting(30)))
        let ends = try await account(auth).sessionUntil
        bench.clock.advance(by: .seconds(40))
        #expect(try await account(auth).state != .signInRequired(.expired), "The access token is still good.")
        bench.clock.advance(by: .seconds(60))
        let other = try bench.process(seed: 9)
        for process in [auth, other] {
            let found = try await account(process)
            #expect(found.state == .signInRequired(.expired) && found.sessionUntil == ends)
        }
        // The service may have prolonged it: only its own refusal ends a session.
        let token = AccessToken(Secret("next"), lifetime: lasting(60))
        bench.service.script(
            refreshes: .refreshed(
                CredentialChange(
                    refreshToken: Secret("second"), minted: [.init("s"): [.standard: token]],
                    sessions: [session(SessionLimits(idle: lasting(3_600)))])))
        _ = try await other.refresh()
        #expect(try await account(other).state == .fresh)
    }

    @Test("an unreachable service does not hide that it has passed")
    func offline() async throws {
        let auth = try await signedIn(SessionLimits(idle: lasting(90)))
        bench.clock.advance(by: .seconds(70))
        bench.service.script(refreshes: .failed(TransportError(.unreachable, wasSent: false)))
        _ = try? await auth.refresh()
        guard case .offline = try await account(auth).state else {
            Issue.record("It is offline.")
            return
        }
        bench.clock.advance(by: .seconds(30))
        #expect(try await account(auth).state == .signInRequired(.expired))
    }
}
