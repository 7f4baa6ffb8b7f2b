import Latchkey
import Testing

@testable import LatchkeyTerminal

@Suite("The terminal's texts") struct TextsTests {
    @Test("no language lacks a text")
    func whole() { #expect(TerminalTexts.table.gaps == []) }
}
