import Latchkey
import LatchkeyTesting
import Testing

@Suite("Provider contract")
struct ProviderContractTests {
    func contract(_ fault: SmallProvider.Fault?) -> ProviderContract<SmallProvider> {
        let request = SignInRequest.signIn(.password(identifier: "ada", Secret("correct horse battery")))
        return ProviderContract([.init(request) { _ in .code(Secret("12345678")) }]) {
            let transport = ScriptedTransport()
            transport.always(
                "POST", SmallProvider.authority + "/token", .answer(TransportResponse(status: 200, body: [65, 66])))
            transport.always("POST", SmallProvider.authority + "/revoke", .answer(TransportResponse(status: 200)))
            let context = ProviderContext(world: .testing(), transport: transport, cache: KeepingCache())
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
