import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// What every process knows after the service has refused the client, and not the session.
@Suite struct ClientRefusedTests {
    private static let refusal = NotSent(AuthError(.configuration(.clientRefused), "The client is refused."))

    private func account(_ auth: AuthClient) async throws -> Account { try #require(try await auth.accounts().first) }

    @Test(
        "a refused client is known to every process until the service answers, and is asked for again at once", .law(3),
        arguments: ServicePauseTests.rules.indices.dropLast())
    func everywhere(_ rule: Int) async throws {
        let (bench, auth) = try await Bench.ended(ServicePauseTests.rules[rule])
        #expect(try await !account(auth).isClientRefused)
        bench.service.script(refreshes: .failed(Self.refusal), .failed(Self.refusal))
        #expect(await code { try await auth.accessToken() } == .configuration(.clientRefused))
        #expect(try await account(auth).isClientRefused)
        let other = try bench.process(seed: 9)
        let shown = try await account(other)
        #expect(shown.isClientRefused && shown.state == .stale)
        // The caller may have put the client right, so that nothing rests.
        #expect(await code { try await other.accessToken() } == .configuration(.clientRefused))
        #expect(bench.service.refreshCount == 2)
        let third = try bench.process(seed: 10)
        #expect(try await third.accessToken().value.revealText() == "access-2")
        #expect(try await !account(third).isClientRefused)
        let fourth = try bench.process(seed: 11)
        #expect(try await !account(fourth).isClientRefused)
    }

    @Test("of people who share a credential, only the process that was refused knows it, since no answer is stored")
    func shared() async throws {
        let (bench, auth) = try await Bench.ended(.scripted(refresh: .mints, sharesCredential: true))
        bench.service.script(refreshes: .failed(Self.refusal))
        #expect(await code { try await auth.accessToken() } == .configuration(.clientRefused))
        #expect(try await account(auth).isClientRefused)
        let other = try bench.process(seed: 9)
        #expect(try await !account(other).isClientRefused)
        #expect(try await other.accessToken().value.revealText() == "access-2")
        #expect(try await !account(other).isClientRefused)
    }

    @Test("other trouble says nothing about the client", arguments: 0..<4)
    func others(_ answer: Int) async throws {
        let (bench, auth) = try await Bench.ended(ServicePauseTests.rules[0])
        bench.service.script(refreshes: .failed(ServicePauseTests.answers(.seconds(30))[answer]))
        _ = await code { try await auth.accessToken() }
        let other = try bench.process(seed: 9)
        for process in [auth, other] { #expect(try await !account(process).isClientRefused) }
    }

    @Test("the record of it asks for no pause, so that an older version sends its request")
    func record() async throws {
        let (bench, auth) = try await Bench.ended(ServicePauseTests.rules[0])
        bench.service.script(refreshes: .failed(Self.refusal))
        _ = await code { try await auth.accessToken() }
        let pause = try await bench.store.onlyRecord().document["pause"]
        #expect(pause?["lasts"]?.integer == 0 && pause?["refusesClient"]?.bool == true)
    }
}
