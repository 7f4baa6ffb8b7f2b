import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyOAuth

@Suite("Two logins in every order, at services that revoke by token, by session and by client")
struct LoginOrderTests {
    /// What is owed to the service when the second login comes.
    private enum Owed: String, CaseIterable { case nothing, first, two }

    /// How the provider knows how far a revocation reaches.
    private struct Rule: CustomStringConvertible {
        var reach: LoginService.Reach
        var told: OAuthProvider.RevocationReach?
        var description: String { "\(reach.rawValue)\(told == nil ? "" : " (told)")" }
    }

    private static let rules = [
        Rule(reach: .grant), Rule(reach: .grant, told: .grant), Rule(reach: .session),
        Rule(reach: .session, told: .serviceSession), Rule(reach: .client, told: .client),
    ]

    private struct Order: CustomStringConvertible {
        var rule: Rule
        var first: LoginDesk.Way
        var second: LoginDesk.Way
        var isSameBrowser: Bool
        var namesSession: Bool
        var owed: Owed
        var hasNeighbour: Bool

        var description: String {
            "\(first) then \(second), \(rule), \(isSameBrowser ? "same" : "other") browser,"
                + " sid \(namesSession ? "told" : "untold"), owed \(owed), \(hasNeighbour ? "two processes" : "one")"
        }

        /// Whether it is known that revoking the first session ends nothing else.
        var isApart: Bool {
            // What was owed first may have been dropped for the login in between.
            if owed == .two { return false }
            if namesSession, !isSameBrowser, first != .program, second != .sameToken { return rule.told != .client }
            return rule.told == .grant && second != .token && second != .sameToken
        }
    }

    private static var orders: [Order] {
        var orders: [Order] = []
        let pairs = LoginDesk.Way.allCases.flatMap { first in LoginDesk.Way.allCases.map { (first, $0) } }
        for (first, second) in pairs where (first == .program) == (second == .program) && first != .sameToken {
            for rule in rules {
                for owed in Owed.allCases where owed == .nothing || second != .sameToken {
                    for bits in 0..<8 {
                        orders.append(
                            Order(
                                rule: rule, first: first, second: second, isSameBrowser: bits & 1 == 0,
                                namesSession: bits & 2 == 0, owed: owed, hasNeighbour: bits & 4 != 0))
                    }
                }
            }
        }
        return orders
    }

    private struct Result {
        var isLost = false
        var owedWrongly = 0
        var isFirstRevoked = false
    }

    private static func run(_ order: Order) async throws -> Result {
        let desk = LoginDesk(order.rule.reach, namesSession: order.namesSession, isProgram: order.first == .program) {
            $0.revocationReach = order.rule.told
        }
        let one = try desk.process(seed: 7)
        let two = order.hasNeighbour ? try desk.process(seed: 9) : one
        try await desk.signIn(one, order.first)
        if order.owed != .nothing {
            desk.service.cutRevocations(true)
            _ = try await one.signOut()
            if order.owed == .two {
                try await desk.signIn(one, order.first)
                _ = try await one.signOut()
            }
            desk.service.cutRevocations(false)
        }
        try await desk.signIn(two, order.second, in: order.isSameBrowser ? "b1" : "b2")
        // Each process tells what is owed, as it does when it starts and as time goes by.
        var result = Result()
        for auth in [one, two, try desk.process(seed: 11)] { try await auth.settleRevocations() }
        desk.clock.advance(by: .seconds(700))
        // A process that signed out learns of its neighbour's login when it reads the store.
        _ = try await one.restore()
        let (newest, neighbours) = (try? await two.refresh(), try? await one.accessToken())
        result.isLost = newest == nil || neighbours == nil
        result.isFirstRevoked = desk.service.grants.first?.isAlive == false
        result.owedWrongly = try await two.owedRevocations()
        // A sign-out that the person asks for is told, and ends the session.
        if order.first != .program {
            let kept = desk.service.grants.last { $0.isAlive }?.refresh
            let told = try await two.signOut()
            // Another process may be telling something at this very moment: then this waits for its turn.
            if told == .revocationQueued { try await two.settleRevocations() }
            let isTold = told == .revoked || told == .revocationQueued
            if !isTold || desk.service.isAlive(kept.map { Secret($0) }) { result.owedWrongly += 1 }
        }
        return result
    }

    @Test("a second login loses no session, whatever came before, and what is owed ends none", .law(22))
    func orders() async throws {
        var (lost, owedWrongly, revoked, left) = (0, 0, 0, 0)
        let orders = Self.orders
        for order in orders {
            let result = try await Self.run(order)
            #expect(!result.isLost, "\(order)")
            #expect(result.owedWrongly == 0, "\(order)")
            if order.isApart { #expect(result.isFirstRevoked, "\(order)") }
            lost += result.isLost ? 1 : 0
            owedWrongly += result.owedWrongly
            revoked += result.isFirstRevoked ? 1 : 0
            left += result.isFirstRevoked ? 0 : 1
        }
        print(
            "logins: orders=\(orders.count) sessions_lost=\(lost) owed_wrongly=\(owedWrongly) first_revoked=\(revoked)"
                + " first_left_to_expire=\(left)")
        #expect(orders.count > 600)
    }

    @Test(
        "a revocation that is under way is waited for by a login of the same browser, in another process too", .law(22))
    func inTurn() async throws {
        let desk = LoginDesk(.session)
        let one = try desk.process(seed: 7)
        try await desk.signIn(one, .browser)
        desk.service.cutRevocations(true)
        _ = try await one.signOut()
        desk.service.cutRevocations(false)
        let two = try desk.process(seed: 9)
        async let told: Void = one.settleRevocations()
        async let entered: Void = desk.signIn(two, .browser)
        _ = try await (told, entered)
        desk.clock.advance(by: .seconds(700))
        _ = try await two.accessToken()
        #expect(try await two.owedRevocations() == 0)
    }

    @Test("what is left to expire is told in the log, and what is revoked is told as done", .law(22))
    func log() async throws {
        let desk = LoginDesk(.session)
        let auth = try desk.process(seed: 7)
        try await desk.signIn(auth, .browser)
        try await desk.signIn(auth, .browser)
        try await desk.signIn(auth, .browser, in: "b2")
        try await auth.settleRevocations()
        let outcomes = desk.observer.observations.compactMap { observation -> AuthObservation.RevocationOutcome? in
            if case .signOut(_, let outcome) = observation { outcome } else { nil }
        }
        #expect(outcomes == [.leftToExpire, .done])
        #expect(desk.service.revoked == [1])
    }

    @Test(
        "a login without an ID token, and one with, in either order: neither ends the other's newer session", .law(22))
    func unnamed() async throws {
        for plainFirst in [true, false] {
            let desk = LoginDesk(.session)
            let auth = try desk.process(seed: 7)
            func enter(isPlain: Bool) async throws {
                desk.service.spoil { isPlain ? nil : try $0.sign($0.claims) }
                var options = SignInOptions()
                options.scopes = isPlain ? ["read"] : ["openid"]
                guard case .asked(let asked) = try await auth.begin(.signIn(.device), with: "oauth", options: options)
                else { return }
                _ = try await auth.answer(.poll, to: asked.id)
            }
            try await enter(isPlain: plainFirst)
            // One is replaced while it is signed in, the other is signed out of, and owed.
            if !plainFirst {
                desk.service.cutRevocations(true)
                _ = try await auth.signOut()
                desk.service.cutRevocations(false)
            }
            try await enter(isPlain: !plainFirst)
            try await auth.settleRevocations()
            desk.clock.advance(by: .seconds(700))
            _ = try await auth.accessToken()
            #expect(desk.service.revoked.isEmpty && desk.service.alive == 2)
        }
    }
}
