import Latchkey
import LatchkeyTesting
import Testing

@testable import LatchkeyTerminal

@Suite struct TerminalContractTests {
    @Test("the terminal keeps the presenter's contract")
    func contract() async throws {
        let visit = Ask.visit(url: "https://id.example.com/a", redirect: "http://127.0.0.1:1/cb")
        let arrived = "http://127.0.0.1:1/cb?code=c0de-contract&state=s"
        try await PresenterContract(shows: [
            (.password, .password(Secret("pa55-contract"))), (.totp, .code(Secret("123456"))),
            (.enrolment(.init(key: "JBSWY3DPEHPK3PXP", address: "otpauth://totp/a")), .code(Secret("654321"))),
            (.choose([.init(id: "a", label: "One"), .init(id: "b", label: "Two")]), .choice("b")),
            (visit, .redirected(Secret(arrived))),
        ]) { situation, challenge in
            switch situation {
            case .answers(.password(let typed)), .answers(.code(let typed)), .answers(.redirected(let typed)):
                TerminalPresenter(device: ScriptedTerminal(typing: typed.revealText()), language: .english)
            case .answers: TerminalPresenter(device: ScriptedTerminal(typing: "2"), language: .english)
            case .declines: TerminalPresenter(device: ScriptedTerminal([.end]), language: .english)
            case .cannotShow, .opens: TerminalPresenter(device: ScriptedTerminal([]), language: .english)
            case .waits: try TerminalPresenter(device: WaitingTerminal(), language: .english)
            }
        }
        .run()
    }

    /// A terminal at which nobody types; the pseudo-terminal lives as long as the presenter.
    private struct WaitingTerminal: TerminalDevice {
        let terminal: PseudoTerminal
        let device: SystemTerminal

        init() throws {
            terminal = try #require(PseudoTerminal())
            device = SystemTerminal(path: terminal.path)
        }

        func size() throws -> (columns: Int, rows: Int) { try device.size() }
        func write(_ text: String) async throws { try await device.write(text) }
        func readLine(_ prompt: String, hidden: Bool) async throws -> TerminalLine {
            try await device.readLine(prompt, hidden: hidden)
        }
    }
}
