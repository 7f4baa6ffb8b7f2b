import Latchkey
import LatchkeyTesting
import Testing

@Suite("A whole life", .timeLimit(.minutes(1)))
struct WholeLifeTests {
    typealias Life = WholeLife<SmallProvider>

    private func life(_ fault: SmallProvider.Fault?, refused: Life.RefusedRefresh? = nil) -> Life {
        let password = SignInRequest.signIn(.password(identifier: "ada", Secret("correct horse battery")))
        let way = Life.Conversation(password) { _ in .code(Secret("12345678")) }
        return Life(way, refused: refused) {
            let context = ProviderContext(world: .testing(), transport: SmallService(), cache: KeepingCache())
            return .init(SmallProvider(fault: fault), in: context)
        }
    }

    private static func answer(_ status: Int, _ body: String) -> TransportResponse {
        TransportResponse(status: status, body: Array(body.utf8))
    }

    @Test(
        "a provider that keeps its promises lives one, whatever its service refuses",
        arguments: [
            nil, Life.RefusedRefresh(answer(400, "banned"), is: .definite), .init(answer(400, "odd"), is: .unexplained),
            .init(answer(503, ""), is: nil),
        ])
    func whole(refused: Life.RefusedRefresh?) async throws { try await life(nil, refused: refused).run() }

    @Test(
        "a provider that breaks a promise dies at the step that needs it",
        arguments: [
            (SmallProvider.Fault.noSession, "sign in"), (.bringsNothing, "refresh"),
            (.forgetsSuccessor, "refresh again"),
            (.misreadsRefusal, "be refused"), (.neverRevokes, "sign out"),
        ])
    func broken(fault: SmallProvider.Fault, step: String) async throws {
        let refused = Life.RefusedRefresh(Self.answer(400, "banned"), is: .definite)
        let violation = await #expect(throws: ContractViolation.self) { try await life(fault, refused: refused).run() }
        #expect(violation?.contract == "WholeLife")
        #expect(violation?.clause == step)
        #expect(violation?.description.contains("correct horse") == false)
    }

    @Test("an answer that ends a session against the author's word dies when it is refused")
    func misnamed() async throws {
        let refused = Life.RefusedRefresh(Self.answer(400, "banned"), is: nil)
        let violation = await #expect(throws: ContractViolation.self) { try await life(nil, refused: refused).run() }
        #expect(violation?.clause == "be refused")
    }
}
