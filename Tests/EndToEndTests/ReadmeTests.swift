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
        #expect(code.split(separator: "\n").count <= 32)
    }

    @Test(
        "Without arguments, and with nobody at the issuer's address, the program says so in a line and does not crash")
    func failures() async throws {
        let usage = try await Program.built("first-screen").run([], environment: [:])
        #expect(usage.status == 2 && usage.output == "usage: first-screen ISSUER DIRECTORY\n" && usage.errors.isEmpty)
        let folder = TemporaryFolder()
        // Port 1 is nobody's.
        let result = try await Program.built("first-screen").run(
            ["http://127.0.0.1:1", "\(folder.path)/sessions"], environment: ["BROWSER": "true"])
        #expect(result.status == 1 && result.errors.isEmpty)
        #expect(result.output.hasPrefix("Try again later. ") && result.output.split(separator: "\n").count == 1)
    }

    @Test("The catch that the README and Errors.md show is the one that the consumer's package compiles")
    func shownCatch() throws {
        let compiled = try Repository.text("Tests/Consumer/Sources/TopLevel/main.swift")
        for name in ["README.md", "Documentation/Start/Errors.md"] {
            let text = try Repository.text(name)
            let block = try #require(text.firstMatch(of: /(?m)^\} catch \{\n(?s:.*?)^ {4}\}\n/), "\(name)")
            #expect(compiled.contains(block.0), "\(name)")
        }
    }

    @Test("The products that the README installs are those of the package, each in one row")
    func products() throws {
        let manifest = try Repository.text("Package.swift")
        let list = try #require(manifest.firstMatch(of: /let products = \[((?s:.*?))\]/)?.1)
        let products = list.matches(of: /"(\w+)"/).map { String($0.1) }
        let readme = try Repository.text("README.md")
        let table = try #require(readme.firstMatch(of: /(?m)^\| Products \| Debian packages(?s:.*?)\n\n/)).0
        for product in products { #expect(table.split(separator: "`\(product)`").count == 2, "\(product)") }
        // A bundle is told with each module that is in it.
        let bundles = manifest.matches(of: /\.library\(\s+name: "(\w+)",\s+targets: \[((?s:.*?))\]/)
        #expect(bundles.count == 2)
        for bundle in bundles {
            let sentence = try #require(readme.split(separator: "`\(bundle.1)` ").dropFirst().first).prefix {
                $0 != "."
            }
            let told = Set(sentence.matches(of: /`(Latchkey\w*)`/).map { String($0.1) })
            #expect(told == Set(bundle.2.matches(of: /"(\w+)"/).map { String($0.1) }), "\(bundle.1)")
        }
        for package in table.matches(of: /`(lib[\w-]+-dev)`/).map(\.1) {
            #expect(try Repository.text("Scripts/setup").contains(package), "\(package)")
        }
    }

    @Test(
        "The program prints what the README says: signed in by a browser first, and not asked again by the next start")
    func prints() async throws {
        let prints = try firstScreen().prints
        #expect(prints.count == 2)
        let server = try DevServer(.init(port: 0, autoApprove: true))
        defer { server.stop() }
        let folder = TemporaryFolder()
        let visits = "\(folder.path)/visits"
        // A browser without a screen; what it does not do the second time is part of the promise.
        let environment = ["BROWSER": "curl --silent --location --noproxy * --output \(visits)"]
        for line in prints {
            let result = try await Program.built("first-screen").run(
                [server.issuer, "\(folder.path)/sessions"], environment: environment)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output == line + "\n")
            #expect(FileManager.default.fileExists(atPath: visits) == (line == prints[0]))
            try? FileManager.default.removeItem(atPath: visits)
        }
    }
}

@Suite("The tool's session in the README")
struct ReadmeToolTests {
    @Test("Each command prints what the README says")
    func session() async throws {
        let readme = try Repository.text("README.md")
        let block = try #require(readme.firstMatch(of: /```console\n((?s:.*?))```/)?.1)
        let server = try DevServer(.init(port: 0, autoApprove: true))
        defer { server.stop() }
        let tool = try Tool()
        let environment = tool.variables(["BROWSER": "curl --silent --location --noproxy * --output /dev/null"])
        let steps = block.replacing("http://127.0.0.1:8400", with: server.issuer).split(separator: "$ ")
        #expect(steps.first?.hasPrefix("latchkey dev-server --port 8400") == true)
        for step in steps.dropFirst() {
            let (command, prints) = (step.prefix { $0 != "\n" }, step.drop { $0 != "\n" }.dropFirst())
            let script = "latchkey() { '\(tool.path)' \"$@\"; }; \(command)"
            let result = try await Program("/bin/bash").run(["-c", script], environment: environment)
            #expect(result.status == 0, "\(command): \(result.errors)")
            let output = result.output.replacing(tool.data, with: "/home/ada/.local/share")
            #expect(output.trimmingPrefix("\n").split(separator: "\n") == prints.split(separator: "\n"))
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
