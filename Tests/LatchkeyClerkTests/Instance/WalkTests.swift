import ClerkWalks
import LatchkeySystem
import Testing

@Suite("Sign-ins at instances with settings of their own") struct WalkTests {
    @Test("each ends as the instance says, everybody has a token of their own, and the next process finds them")
    func some() async throws {
        let wrong = Locked<[String]>([])
        let report = try await ClerkWalks.some { line in wrong.withLock { $0.append(line) } }
        #expect(report.walks == 48 && wrong.withLock { $0 } == [])
    }
}
