import Latchkey
import LatchkeyTesting
import Proofs
import Testing

/// Tokens that last for an hour and are stale for the last five minutes.
@Suite("Refreshing beside the callers") struct BesideTests {
    typealias RefreshRule = ProviderRules.RefreshRule

    /// Somebody is signed in, in a program that hands stale tokens out, and time has passed.
    private static func scene(
        _ rules: ProviderRules = .scripted(refresh: .sameSuccessor), _ policy: EngineSettings.RefreshPolicy = .onDemand,
        _ stale: EngineSettings.StaleTokens = .handedOut(lasting: .seconds(10)), left: Duration = .seconds(200),
        holding hold: Latch? = nil
    ) async throws -> (Bench, AuthClient) {
        let bench = Bench(rules: rules)
        let auth = try bench.process { builder in
            var settings = Bench.settings
            (settings.refresh, settings.staleTokens) = (policy, stale)
            return builder.settings(settings)
        }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        if let hold { bench.service.script(refreshes: .held(hold, then: .rotated)) }
        bench.clock.advance(by: .seconds(3_600) - left)
        return (bench, auth)
    }

    private func text(_ auth: AuthClient, _ validity: Duration? = nil) async throws -> String {
        try await auth.accessToken(minimumValidity: validity).value.revealText()
    }

    @Test("a stale token is handed out at once while it is refreshed, and the next caller gets the new one", .law(1))
    func atOnce() async throws {
        let (bench, auth) = try await Self.scene()
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        for _ in 0..<3 { #expect(try await text(auth) == "access-1") }
        try await bench.service.waitForRefreshes(1)
        #expect(try await text(auth) == "access-1")
        hold.open()
        try await bench.until { auth.currentToken()?.value.revealText() == "access-2" }
        #expect(try await text(auth) == "access-2")
        #expect(bench.service.refreshCount == 1)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var left: Duration
        var least = Duration.seconds(10)
        var validity: Duration?
        var isBeside: Bool
        var testDescription: String { "\(left) left, \(least) needed, asked for \(validity ?? .zero)" }
    }

    @Test(
        "a caller waits for the new token if the stale one is too short for it, or has ended",
        arguments: [
            Row(left: .seconds(300), isBeside: true), Row(left: .seconds(11), isBeside: true),
            Row(left: .seconds(10), isBeside: false), Row(left: .seconds(1), isBeside: false),
            Row(left: .zero, isBeside: false), Row(left: .seconds(1), least: .zero, isBeside: true),
            Row(left: .zero, least: .zero, isBeside: false),
            Row(left: .seconds(200), validity: .seconds(100), isBeside: true),
            Row(left: .seconds(200), validity: .seconds(200), isBeside: false),
            Row(left: .seconds(200), validity: .seconds(4_000), isBeside: false),
            Row(left: .seconds(200), least: .seconds(250), validity: .seconds(1), isBeside: false),
        ])
    func tooShort(_ row: Row) async throws {
        let (bench, auth) = try await Self.scene(
            .scripted(refresh: .sameSuccessor), .onDemand, .handedOut(lasting: row.least), left: row.left)
        #expect(try await text(auth, row.validity) == (row.isBeside ? "access-1" : "access-2"))
        try await bench.until { auth.currentToken()?.value.revealText() == "access-2" }
        #expect(bench.service.refreshCount == 1)
    }

    @Test("a token that is not stale is not refreshed at all") func fresh() async throws {
        let (bench, auth) = try await Self.scene(left: .seconds(301))
        #expect(try await text(auth) == "access-1")
        await bench.settle()
        #expect(bench.service.refreshCount == 0)
    }

    @Test(
        "where a second use ends the session, a program that asks on demand waits for the refresh", .law(6),
        arguments: [RefreshRule.killsFamily, .sameSuccessor, .newSuccessor, .fixed],
        [EngineSettings.RefreshPolicy.onDemand, .ahead])
    func oneTimeTokens(_ rule: RefreshRule, _ policy: EngineSettings.RefreshPolicy) async throws {
        let hold = Latch()
        let (bench, auth) = try await Self.scene(.scripted(refresh: rule), policy, holding: hold)
        let waits = rule == .killsFamily && policy == .onDemand
        if waits { hold.open() }
        #expect(try await text(auth) == (waits ? "access-2" : "access-1"))
        hold.open()
        try await bench.until { auth.currentToken()?.value.revealText() == "access-2" }
        #expect(bench.service.refreshCount == 1)
        #expect(bench.service.mostRefreshesAtOnce == 1)
    }

    @Test("without the setting, a caller waits for the new token") func switchedOff() async throws {
        let (bench, auth) = try await Self.scene(.scripted(refresh: .sameSuccessor), .onDemand, .refreshedFirst)
        #expect(try await text(auth) == "access-2")
        #expect(bench.service.refreshCount == 1)
    }

    @Test("a forced refresh, and one after the resource refused the token, is waited for") func forced() async throws {
        let (bench, auth) = try await Self.scene()
        #expect(try await auth.refresh().value.revealText() == "access-2")
        bench.clock.advance(by: .seconds(3_400))
        let old = try #require(auth.currentToken())
        try await auth.discard(old.value)
        #expect(try await text(auth) == "access-3")
    }

    @Test("people who share a credential wait for the new token") func shared() async throws {
        let (_, auth) = try await Self.scene(.scripted(refresh: .mints, sharesCredential: true))
        #expect(try await text(auth) == "access-2")
    }

    @Test("a program that ends waits until the refresh beside it is stored", .law(7)) func ending() async throws {
        let (bench, auth) = try await Self.scene()
        let token = try await auth.run { auth in try await auth.accessToken().value.revealText() }
        #expect(token == "access-1")
        #expect(try await bench.storedSecret == "refresh-2")
        #expect(bench.service.refreshCount == 1)
    }

    @Test("a refresh beside that fails is not repeated for each caller, and the token is used while it lasts")
    func failing() async throws {
        let (bench, auth) = try await Self.scene()
        bench.service.script(refreshes: .failed(TransportError(.unreachable, wasSent: false)))
        #expect(try await text(auth) == "access-1")
        try await bench.service.waitForRefreshes(1)
        await bench.settle()
        for _ in 0..<10 { #expect(try await text(auth) == "access-1") }
        #expect(bench.service.refreshCount == 1)
    }

    @Test("a session that the refresh beside finds ended is told of to the next caller") func refused() async throws {
        let (bench, auth) = try await Self.scene()
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        #expect(try await text(auth) == "access-1")
        try await bench.until { auth.currentToken() == nil }
        #expect(await code { try await auth.accessToken() } != nil)
    }

    @Test("processes that each hand the stale token out make one request", .law(1)) func processes() async throws {
        let (bench, first) = try await Self.scene()
        let second = try bench.process(seed: 9) { builder in
            var settings = Bench.settings
            settings.staleTokens = .handedOut(lasting: .seconds(10))
            return builder.settings(settings)
        }
        #expect(try await text(first) == "access-1")
        try await bench.until { first.currentToken()?.value.revealText() == "access-2" }
        #expect(try await text(second) == "access-2")
        #expect(bench.service.refreshCount == 1)
    }

    @Test("a time below nothing is no setting") func negative() throws {
        let bench = Bench()
        #expect(throws: AuthError.self) {
            try bench.process { builder in
                var settings = Bench.settings
                settings.staleTokens = .handedOut(lasting: .seconds(-1))
                return builder.settings(settings)
            }
        }
    }
}
