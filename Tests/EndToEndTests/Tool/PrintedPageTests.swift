import Latchkey
import Testing

@testable import LatchkeyCommand

@Suite("The printed manual page") struct PrintedPageTests {
    @Test("is printed by help, for a person in French")
    func printed() async throws {
        let tool = try Tool()
        let page = try await tool.run("help", "--man")
        #expect(page.status == 0 && page.output == ManualPage(.english).text() && page.errors.isEmpty)
        let french = try await tool.run("help", "--man", environment: ["LC_ALL": "fr_FR.UTF-8"])
        #expect(french.output == ManualPage(.french).text())
    }
}
