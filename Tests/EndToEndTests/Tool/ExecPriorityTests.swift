import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// libdispatch gives its threads other nice values where it may, as root, and what a thread starts inherits its own.
@Suite("The nice value of a program that exec runs", .timeLimit(.minutes(2))) struct ExecPriorityTests {
    @Test("is the one that the tool was started with", arguments: [["exec", "--"], ["exec", "--refresh", "--"]])
    func same(_ words: [String]) async throws {
        guard geteuid() == 0 else { return print("nice: skipped: only root's threads may get other values") }
        let signedIn = try await SignedIn()
        let nice = try #require(Program.onPath("nice"))
        // The most there is, whatever the tests themselves have.
        let result = try await Program(nice).run(
            ["-n", "19", signedIn.tool.path] + words + ["nice"],
            environment: signedIn.tool.variables(["XDG_RUNTIME_DIR": signedIn.tool.folder.path]))
        #expect(result.status == 0 && result.output == "19\n", "\(result.output) \(result.errors)")
    }
}
