import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Testing

@Suite("Provider contract: redirects, answers that are wrong, clocks")
struct PageProviderTests {
    private func contract(_ fault: PageFault?) -> ProviderContract<PageProvider> {
        let answering: @Sendable (Challenge) -> Answer = { challenge in
            guard case .visit(let url, _) = challenge.ask else { return .code(Secret(PageService.code)) }
            return .redirected(PageService.visited(url))
        }
        let password = SignInMethod.password(identifier: "ada", Secret("correct-horse-battery"))
        let ways: [ProviderContract<PageProvider>.Conversation] = [
            .init(.signIn(password), person: "ada", label: "ada", answering: answering) { _ in
                .code(Secret("00000000"))
            }, .init(.signIn(.browser()), person: "ada", label: "ada", answering: answering),
        ]
        let banned = TransportResponse(status: 403, body: Array(#"{"error":"banned"}"#.utf8))
        let south = PageProvider(base: PageService.address + "/south", fault: fault)
        return ProviderContract(ways, refusedSignIns: [.init(banned, is: .refused(.denied))], others: [south]) {
            let world = PluginContext.testing()
            let context = ProviderContext(
                world: world, transport: PageService { world.clock.wall() }, cache: KeepingCache())
            return .init(PageProvider(base: PageService.address, fault: fault), in: context)
        }
    }

    @Test("a provider that keeps every promise passes") func sound() async throws { try await contract(nil).run() }

    @Test("a provider that breaks one promise is refused by the clause that demands it", arguments: PageFault.allCases)
    func broken(fault: PageFault) async throws {
        let violation = await #expect(throws: ContractViolation.self) { try await contract(fault).run() }
        #expect(violation?.clause == fault.clause)
        #expect(violation?.description.contains("correct-horse") == false)
    }

    @Test("each request of a fresh conversation is another one")
    func fresh() async throws {
        let seen = Box()
        let way = ProviderContract<PageProvider>.Conversation(making: { name in
            seen.add(name)
            return .signIn(.password(identifier: name, Secret("correct-horse-battery")))
        }) { _ in .code(Secret(PageService.code)) }
        try await ProviderContract([way]) {
            let world = PluginContext.testing()
            let context = ProviderContext(
                world: world, transport: PageService { world.clock.wall() }, cache: KeepingCache())
            return .init(PageProvider(base: PageService.address, fault: nil), in: context)
        }.run()
        #expect(seen.names.count > 10 && Set(seen.names).count == seen.names.count)
    }
}

private final class Box: Sendable {
    private let state = Locked<[String]>([])
    var names: [String] { state.withLock { $0 } }
    func add(_ name: String) { state.withLock { $0.append(name) } }
}
