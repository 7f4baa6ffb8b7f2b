import Latchkey
import LatchkeyTesting
import Testing

@Suite("The contract of presenters, acting on them from outside")
struct PresenterStageTests {
    func contract(_ fault: StagedPresenter.Fault?) -> PresenterContract {
        PresenterContract(shows: SeamContractTests.shows, timeLimit: .seconds(5)) { _ in StagedPresenter(fault).stage }
    }

    @Test("a presenter that keeps every promise passes") func sound() async throws { try await contract(nil).run() }

    @Test(
        "a presenter that breaks one promise is refused by the clause that demands it", .timeLimit(.minutes(2)),
        arguments: StagedPresenter.Fault.allCases)
    func broken(fault: StagedPresenter.Fault) async throws {
        let violation = await #expect(throws: ContractViolation.self) { try await contract(fault).run() }
        #expect(violation?.clause == fault.clause)
    }

    @Test(
        "a page that breaks one promise is refused by the clause that demands it", .timeLimit(.minutes(2)),
        arguments: PagePresenter.Fault.allCases)
    func brokenPage(fault: PagePresenter.Fault) async throws {
        let contract = PresenterContract(shows: PagePresenter.shows, timeLimit: .seconds(5)) { _ in
            PagePresenter(fault).stage
        }
        let violation = await #expect(throws: ContractViolation.self) { try await contract.run() }
        #expect(violation?.clause == fault.clause)
    }

    @Test("the same page without the fault keeps the contract") func soundPage() async throws {
        try await PresenterContract(shows: PagePresenter.shows) { _ in PagePresenter(nil).stage }.run()
    }
}
