import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeyLoopback

@Suite struct LoopbackContractTests {
    @Test("the loopback listener keeps the presenter's contract", .timeLimit(.minutes(1)))
    func contract() async throws {
        // The contract knows the answer beforehand, and so the port; which another program may take meanwhile.
        for _ in 0..<20 where try await keepsContract() { return }
        Issue.record("Each of twenty ports was taken by another program")
    }

    /// Checks the contract at a port that was free a moment ago; `false` when it is no longer.
    private func keepsContract() async throws -> Bool {
        let (probe, _) = LoopbackPresenterTests.presenter()
        let port = try #require(WebAddress(try await probe.openRedirect())?.port)
        await probe.closeRedirect()
        let redirect = "http://127.0.0.1:\(port)/callback"
        let arrived = "\(redirect)?code=c0de-contract&state=s"
        let ask = Ask.visit(url: "https://id.example/authorize?state=s", redirect: redirect)
        let last = Locked<LoopbackPresenter?>(nil)
        let isTaken = Locked(false)
        let contract = PresenterContract(shows: [(ask, .redirected(Secret(arrived)))]) { situation, _ in
            var options = LoopbackPresenter.Options()
            options.port = port
            await last.withLock { $0 }?.closeRedirect()
            let (presenter, announced) = LoopbackPresenterTests.presenter(options)
            last.withLock { $0 = presenter }
            switch situation {
            case .declines: return nil
            case .cannotShow: return presenter
            // That the port can be had at all is not what is looked at here.
            case .opens: return LoopbackPresenterTests.presenter().0
            case .waits, .answers:
                do {
                    _ = try await presenter.openRedirect()
                } catch {
                    isTaken.withLock { $0 = true }
                    throw error
                }
            }
            if case .answers = situation {
                Task {
                    // The address is shown once the redirect is expected.
                    while announced.withLock({ $0.isEmpty }) { await Task.yield() }
                    _ = try await LoopbackPresenterTests.get(arrived)
                }
            }
            return presenter
        }
        do {
            try await contract.run()
        } catch {
            guard isTaken.withLock({ $0 }) else { throw error }
            return false
        }
        await last.withLock { $0 }?.closeRedirect()
        return true
    }
}
