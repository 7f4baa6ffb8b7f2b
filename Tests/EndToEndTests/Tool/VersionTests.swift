import Testing

@testable import LatchkeyCommand

@Suite("The version") struct VersionTests {
    @Test("is the newest of the changes, and what the tool says")
    func one() async throws {
        let newest = try Repository.text("CHANGELOG.md").firstMatch(of: /(?m)^## (\S+)/)
        #expect(try #require(newest).1 == LatchkeyTool.version)
        #expect(LatchkeyTool.version.wholeMatch(of: /\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?/) != nil)
        #expect(try await Tool().run("--version").output == "latchkey \(LatchkeyTool.version)\n")
    }
}
