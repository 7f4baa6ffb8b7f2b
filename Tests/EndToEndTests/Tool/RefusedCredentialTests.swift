import Foundation
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

/// kubectl runs its plugin again after a 401, and does not say why it does.
@Suite("A token that a cluster refused", .timeLimit(.minutes(2))) struct RefusedCredentialTests {
    private static func info(_ cluster: String? = nil) -> [String: String] {
        let spec = cluster.map { #","spec":{"cluster":{"server":"\#($0)"}}"# } ?? ""
        return ["KUBERNETES_EXEC_INFO": #"{"apiVersion":"client.authentication.k8s.io/v1"\#(spec)}"#]
    }

    private func token(_ scene: SignedIn, _ environment: [String: String], _ more: String...) async throws -> String {
        let result = try await scene.tool.start(["credential", "kubectl"] + more, environment: environment).wait()
        return try #require(result.json?["status"]?["token"]?.string, "\(result.errors)")
    }

    @Test("a program that asks again for what it has already gets another token", arguments: [[], ["--id"]])
    func again(options: [String]) async throws {
        let scene = try await SignedIn()
        var given: Set<String> = []
        for _ in 0..<3 {
            let result = try await scene.tool.start(
                ["credential", "kubectl"] + options, environment: Self.info()
            ).wait()
            let token = try #require(result.json?["status"]?["token"]?.string, "\(result.errors)")
            #expect(given.insert(token).inserted)
        }
        let remembered = FilesBelow.content(scene.data + "/latchkey/.kubectl")
        #expect(remembered.contains("receiver") && given.allSatisfy { !remembered.contains($0) })
    }

    @Test("another program, another cluster, and a person get the present one, which nobody refused")
    func others() async throws {
        let scene = try await SignedIn()
        let first = try await token(scene, Self.info("https://one.example"))
        #expect(try await token(scene, Self.info("https://two.example")) == first)
        for environment in [[:], ["KUBERNETES_EXEC_INFO": "{"], ["KUBERNETES_EXEC_INFO": "{}"]] {
            for _ in 0..<2 { #expect(try await token(scene, environment) == first) }
        }
        // A shell that is the plugin's parent is another process each time.
        let script = "\(scene.tool.path) credential kubectl; exit $?"
        for _ in 0..<2 {
            let child = try Program("/bin/sh").start(
                ["-c", script], environment: scene.tool.variables(Self.info("https://one.example")))
            #expect(try await child.wait().json?["status"]?["token"]?.string == first)
        }
        #expect(try await token(scene, Self.info("https://one.example")) != first)
    }

    @Test("a program that asks twice anyway, as one with two clients in it, is refused only when it asks a third time")
    func several() async throws {
        let scene = try await SignedIn()
        var given: [[String]] = []
        for times in [2, 2, 2, 3] {
            let script = Array(repeating: "\(scene.tool.path) credential kubectl", count: times).joined(separator: "; ")
            let child = try Program("/bin/sh").start(
                ["-c", script + "; exit 0"], environment: scene.tool.variables(Self.info()))
            let lines = try await child.wait().output.split(separator: "\n")
            given.append(
                lines.compactMap { line in
                    (try? JSON.parse(Array(line.utf8)))?["status"]?["token"]?.string
                })
        }
        // Nothing is known of the program yet, so the first time counts as a refusal.
        #expect(given.map { Set($0).count } == [2, 1, 1, 2] && given.map(\.count) == [2, 2, 2, 3])
        #expect(given[1].first == given[0].last && given[3].first == given[3][1])
    }

    @Test(
        "without a network the refused token is given to nobody, also not to the next program",
        arguments: [[], ["--id"]])
    func offline(options: [String]) async throws {
        let scene = try await SignedIn()
        _ = try await scene.tool.start(["credential", "kubectl"] + options, environment: Self.info()).wait()
        scene.server.stop()
        for environment in [Self.info(), [:]] {
            let result = try await scene.tool.start(
                ["credential", "kubectl"] + options, environment: environment
            ).wait()
            #expect(result.status == 4 && result.output.isEmpty, "\(result.errors)")
        }
    }

    @Test("a file of the memory that is damaged, or that others may change, counts as empty")
    func damaged() async throws {
        let scene = try await SignedIn()
        let first = try await token(scene, Self.info())
        try SystemFiles().remove("\(scene.data)/latchkey/.kubectl/default.json")
        try SystemFiles().writeNew("\(scene.data)/latchkey/.kubectl/default.json", Array("[".utf8))
        #expect(try await token(scene, Self.info()) == first)
        #expect(try await token(scene, Self.info()) != first)
    }
}
