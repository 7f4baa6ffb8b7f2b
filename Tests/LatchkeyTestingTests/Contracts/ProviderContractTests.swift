import Latchkey
import LatchkeyTesting
import Testing

@Suite("Provider contract")
struct ProviderContractTests {
    func contract(_ fault: SmallProvider.Fault?) -> ProviderContract<SmallProvider> {
        let password = SignInRequest.signIn(.password(identifier: "ada", Secret("correct horse battery")))
        let ways = [
            ProviderContract<SmallProvider>.Conversation(password, person: "ada", endsByDeclining: true) { _ in
                .code(Secret("12345678"))
            } erring: { _ in
                .code(Secret("00000000"))
            },
            .init(.signIn(.browser()), person: "ada", lacksProofKey: true) { _ in
                .redirected(Secret(SmallProvider.redirect + "?code=good"))
            },
        ]
        let refusals = [
            ProviderContract<SmallProvider>.RefusedRefresh(
                TransportResponse(status: 400, body: Array("banned".utf8)), is: .definite),
            .init(TransportResponse(status: 503), is: nil),
        ]
        let limit = fault == .hearsNoCancelling ? Duration.seconds(1) : ClauseLimit.standard
        return ProviderContract(ways, refusals: refusals, timeLimit: limit) {
            let context = ProviderContext(world: .testing(), transport: SmallService(), cache: KeepingCache())
            return .init(SmallProvider(fault: fault), in: context)
        }
    }

    @Test("a provider that keeps every promise passes") func sound() async throws { try await contract(nil).run() }

    @Test(
        "a provider that breaks one promise is refused by the clause that demands it",
        arguments: SmallProvider.Fault.allCases)
    func broken(fault: SmallProvider.Fault) async throws {
        let violation = await #expect(throws: ContractViolation.self) { try await contract(fault).run() }
        #expect(violation?.clause == fault.clause)
        #expect(violation?.description.contains("correct horse") == false)
    }
}
