import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// How long a person is shown while the service is away.
@Suite("Cached identity without the service") struct GraceTests {
    @Test(
        "without the service, the person is shown for seven days after its last answer, and not a second longer",
        .need("N11"))
    func shown() async throws {
        let (bench, auth) = try await Bench.ended()
        let unreachable = ScriptedProvider.RefreshStep.failed(TransportError(.unreachable, wasSent: false))
        bench.service.script(refreshes: unreachable, unreachable)
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        bench.clock.advance(by: .seconds(7 * 86_400 - 3_600))
        #expect(try await auth.accounts().map(\.label) == ["alice"])
        bench.clock.advance(by: .seconds(1))
        #expect(try await auth.accounts().map(\.label) == [nil])
        #expect(await code { try await auth.accessToken() } == .offline(.graceOver))
        bench.clock.advance(by: .seconds(3_600))
        _ = try await auth.accessToken()
        #expect(try await auth.accounts().map(\.label) == ["alice"])
    }

    @Test(
        "the time counts from the service's answer, however long the store does not take it", .law(19),
        arguments: [true, false])
    func unstored(isSignIn: Bool) async throws {
        let bench = Bench()
        let full = AuthError(.store(.full), "no space")
        let auth = try bench.process()
        if isSignIn {
            bench.store.failCommits(full)
            #expect(await code { _ = try await auth.signIn(with: "scripted", .anonymous) } == .store(.full))
        } else {
            _ = try await auth.signIn(with: "scripted", .anonymous)
            let held = try await bench.service.hold { try await auth.refresh() }
            bench.store.failCommits(full)
            held.answer()
            #expect(try await held.value.isDurable == false)
        }
        bench.clock.advance(by: .seconds(7 * 86_400 + 3_600))
        bench.store.failCommits(nil)
        bench.service.script(refreshes: .failed(TransportError(.unreachable, wasSent: false)))
        #expect(await code { try await auth.accessToken() } == .offline(.graceOver))
        #expect(try await auth.accounts().map(\.label) == [nil])
        #expect(try await bench.store.onlyRecord().document["credential"] != nil)
    }
}
