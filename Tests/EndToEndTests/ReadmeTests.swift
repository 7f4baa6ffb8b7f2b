import FoundationEssentials
import LatchkeyDevServer
import Testing

@Suite("The first screen of the README")
struct ReadmeTests {
    /// The README's Swift, and the lines that it says are printed.
    private func firstScreen() throws -> (code: String, prints: [String]) {
        let readme = try Repository.text("README.md")
        let block = try #require(readme.firstMatch(of: /```swift\n((?s:.*?))```/))
        return (String(block.1), block.1.matches(of: /(?m)^\/\/ .* prints: (.*)$/).map { String($0.1) })
    }

    @Test("The code is the text of a program that is built with everything else, and fits on a screen")
    func text() throws {
        let code = try firstScreen().code
        #expect(code == (try Repository.text("Examples/first-screen/main.swift")))
        #expect(code.split(separator: "\n").count < 20)
    }

    @Test(
        "The program prints what the README says: signed in by a browser first, and not asked again by the next start")
    func prints() throws {
        let prints = try firstScreen().prints
        #expect(prints.count == 2)
        let server = try DevServer(.init(port: 0, autoApprove: true))
        defer { server.stop() }
        let folder = TemporaryFolder()
        let visits = "\(folder.path)/visits"
        // A browser without a screen; what it does not do the second time is part of the promise.
        let environment = ["BROWSER": "curl --silent --location --noproxy * --output \(visits)"]
        for line in prints {
            let result = try Program.built("first-screen").run(
                [server.issuer, "\(folder.path)/sessions"], environment: environment)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output == line + "\n")
            #expect(FileManager.default.fileExists(atPath: visits) == (line == prints[0]))
            try? FileManager.default.removeItem(atPath: visits)
        }
    }
}

extension Program {
    /// A program of this package, which is built beside the tests.
    static func built(_ name: String) throws -> Program {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = tests.split(separator: "/").dropLast().joined(separator: "/")
        return Program("/\(folder)/\(name)")
    }
}
