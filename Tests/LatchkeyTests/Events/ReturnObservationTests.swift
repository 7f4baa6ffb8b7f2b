import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// When a sign-in is required, and how long until somebody signs in.
@Suite struct ReturnObservationTests {
    private static let gone = ScriptedProvider.RefreshStep.refused(Refusal(.definite, code: "invalid_grant"))
    private static let unexplained = ScriptedProvider.RefreshStep.refused(Refusal(.unexplained, code: ""))
    private static let required = AuthObservation.signInRequired("scripted", .refused)

    /// A client whose session the service has ended.
    private func ended() async throws -> (Bench, AuthClient) {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.service.script(refreshes: Self.gone)
        #expect(await code { try await auth.refresh() } == .signInRequired(.refused))
        return (bench, auth)
    }

    private func signIn(_ subject: String, _ bench: Bench, _ auth: AuthClient) async throws {
        bench.service.script(turns: .granted(to: subject))
        _ = try await auth.signIn(with: "scripted", .anonymous)
    }

    @Test("an automatic sign-out is observed once with its reason, and the return with the time it took", .need("D6"))
    func same() async throws {
        let (bench, auth) = try await ended()
        for _ in 1...3 { #expect(await code { try await auth.accessToken() } == .signInRequired(.refused)) }
        #expect(bench.observer.returns == [Self.required])
        bench.clock.advance(by: .seconds(90))
        try await signIn("alice", bench, auth)
        let back = AuthObservation.reauthentication(.refused, by: .sameAccount, after: .seconds(90))
        #expect(bench.observer.returns == [Self.required, back])
        try await signIn("alice", bench, auth)
        #expect(bench.observer.returns == [Self.required, back], "the wait is over")
    }

    @Test("an app that signs the account out before it shows the sign-in does not end the wait")
    func signedOutBetween() async throws {
        let (bench, auth) = try await ended()
        _ = try? await auth.signOut()
        bench.clock.advance(by: .seconds(30))
        try await signIn("alice", bench, auth)
        #expect(bench.observer.returns.last == .reauthentication(.refused, by: .sameAccount, after: .seconds(30)))
    }

    @Test("another account that takes the place of the current one is told apart, and ends one wait")
    func other() async throws {
        let (bench, auth) = try await ended()
        bench.clock.advance(by: .seconds(7))
        try await signIn("bob", bench, auth)
        let back = AuthObservation.reauthentication(.refused, by: .otherAccount, after: .seconds(7))
        #expect(bench.observer.returns == [Self.required, back])
        try await signIn("carol", bench, auth)
        #expect(bench.observer.returns == [Self.required, back])
    }

    @Test("an account that is not the current one waits for itself, whoever else signs in")
    func notCurrent() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let alice = AccountID(subject: "alice", of: bench.service.rules.binding)
        try await signIn("bob", bench, auth)
        bench.service.script(refreshes: Self.gone)
        #expect(await code { try await auth.refresh(of: alice) } == .signInRequired(.refused))
        try await signIn("carol", bench, auth)
        #expect(bench.observer.returns == [Self.required])
        bench.clock.advance(by: .seconds(5))
        try await signIn("alice", bench, auth)
        #expect(bench.observer.returns.last == .reauthentication(.refused, by: .sameAccount, after: .seconds(5)))
    }

    @Test("a person who signs out and in again was not asked to")
    func byChoice() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        try await auth.signOut()
        bench.clock.advance(by: .seconds(60))
        try await signIn("alice", bench, auth)
        #expect(bench.observer.returns.isEmpty)
    }

    @Test("a refusal without a reason that a later refresh takes back is no return")
    func takenBack() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.service.script(refreshes: Self.unexplained)
        _ = await code { try await auth.refresh() }
        #expect(bench.observer.returns == [.signInRequired("scripted", .refusedWithoutReason)])
        bench.clock.advance(by: .seconds(7_200))
        try await auth.refresh()
        try await signIn("alice", bench, auth)
        #expect(bench.observer.returns.count == 1)
    }

    @Test("a resource that takes the token after all takes the demand back")
    func acceptedAfterAll() async throws {
        let scene = try await AuthorizedTests.Scene()
        #expect(try await scene.get() == 401)
        scene.take("access-2")
        #expect(try await scene.get() == 200)
        try await signIn("alice", scene.bench, scene.auth)
        #expect(scene.bench.observer.returns == [.signInRequired("scripted", .notAccepted)])
    }

    @Test("a wait that began before a restart goes on: the store says since when")
    func restarted() async throws {
        let (bench, _) = try await ended()
        bench.clock.advance(by: .seconds(100))
        let later = try bench.process(seed: 9)
        try await later.restore()
        bench.clock.advance(by: .seconds(20))
        try await signIn("alice", bench, later)
        #expect(bench.observer.returns.last == .reauthentication(.refused, by: .sameAccount, after: .seconds(120)))
    }

    @Test("what waits is bounded: further accounts are not measured, and those that wait are")
    func bounded() {
        let waits = SignInWaits()
        let wait = SignInWaits.Wait(reason: .refused, since: MonotonicInstant(nanoseconds: 1), wasCurrent: false)
        for number in 0...SignInWaits.bound { waits.begin(AccountID("\(number)"), wait) }
        #expect(waits.end(by: AccountID("\(SignInWaits.bound)")) == nil)
        #expect(waits.end(by: AccountID("0"))?.1 == .sameAccount)
    }

    @Test("an account that waits already keeps its first reason and time; another reason does not lapse")
    func first() {
        let waits = SignInWaits()
        let account = AccountID("a")
        for (number, reason) in [AuthError.SignInRequiredReason.notAccepted, .refused].enumerated() {
            let since = MonotonicInstant(nanoseconds: Int64(number))
            waits.begin(account, SignInWaits.Wait(reason: reason, since: since, wasCurrent: true))
        }
        waits.lapse(account, [.refused])
        #expect(waits.end(by: account)?.0.reason == .notAccepted)
        #expect(waits.end(by: account) == nil)
    }
}
