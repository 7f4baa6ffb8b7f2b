import Latchkey
import LatchkeyLocked
import LatchkeyTesting
import Testing

@testable import LatchkeyLoopback

@Suite struct LoopbackContractTests {
    @Test("the loopback listener keeps the presenter's contract")
    func contract() async throws {
        // A port that was free a moment ago, so that the answer is known beforehand.
        let (probe, _) = LoopbackPresenterTests.presenter()
        let port = try #require(WebAddress(try await probe.openRedirect())?.port)
        await probe.closeRedirect()
        let redirect = "http://127.0.0.1:\(port)/callback"
        let arrived = "\(redirect)?code=c0de-contract&state=s"
        let ask = Ask.visit(url: "https://id.example/authorize", redirect: redirect)
        let last = Locked<LoopbackPresenter?>(nil)
        try await PresenterContract(shows: [(ask, .redirected(Secret(arrived)))]) { situation, _ in
            var options = LoopbackPresenter.Options()
            options.port = port
            await last.withLock { $0 }?.closeRedirect()
            let (presenter, _) = LoopbackPresenterTests.presenter(options)
            last.withLock { $0 = presenter }
            switch situation {
            case .declines: return nil
            case .cannotShow, .opens: return presenter
            case .waits: _ = try await presenter.openRedirect()
            case .answers:
                _ = try await presenter.openRedirect()
                Task { try await LoopbackPresenterTests.get(arrived) }
            }
            return presenter
        }
        .run()
    }
}
