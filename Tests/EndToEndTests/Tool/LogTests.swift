import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyTesting
import Testing

@Suite("log")
struct LogTests {
    private func file(_ signedIn: SignedIn) -> String { "\(signedIn.data)/latchkey/audit/default/audit.jsonl" }

    private func actions(_ signedIn: SignedIn, _ more: String...) async throws -> [String] {
        let child = try signedIn.start(["log", "--json"] + more)
        return (try await child.wait().json?["entries"]?.array ?? []).compactMap { $0["action"]?.string }
    }

    @Test("signing in and out is in it, with no name and no token, and nothing else that commands do") func life()
        async throws
    {
        let signedIn = try await SignedIn()
        #expect(try await actions(signedIn) == ["signedIn", "signIn"])
        let token = try await signedIn.run("token").line
        #expect(try await signedIn.run("refresh").status == 0)
        #expect(try await actions(signedIn) == ["signedIn", "signIn"])
        #expect(try await signedIn.run("logout").status == 0)
        #expect(try await actions(signedIn).sorted() == ["revocation", "signIn", "signedIn", "signedOut"])
        #expect(try await actions(signedIn, "--account", "oauth \(signedIn.server.issuer) user-ada").count == 2)
        let exported = try await signedIn.run("log", "export").output
        #expect(exported.split(separator: "\n").count == 5)
        for word in [token, "ada@", "user-ada", "127.0.0.1", "eyJ"] { #expect(!exported.contains(word)) }
        #expect(try await signedIn.run("log", "verify").status == 0)
    }

    @Test("a changed line is named, with the status of a store that needs attention") func changed() async throws {
        let signedIn = try await SignedIn()
        let files = SystemFiles()
        let bytes = try #require(try files.read(file(signedIn), limit: 1 << 20))
        try files.remove(file(signedIn))
        let text = String(decoding: bytes, as: UTF8.self).replacing(
            #""action":"signIn""#, with: #""action":"unlocked""#)
        try files.writeNew(file(signedIn), Array(text.utf8))
        let result = try await signedIn.run("log", "verify")
        #expect(result.status == 7 && result.output == "Line 3 was changed or put in\n", "\(result.output)")
        let json = try await signedIn.run("log", "verify", "--json")
        #expect(json.status == 7 && json.json?["findings"]?.array?.count == 1)
    }

    @Test("erasing asks first; one account's lines go, or all") func erase() async throws {
        let signedIn = try await SignedIn()
        for arguments in [["log", "erase"], ["log", "erase", "--account", "ada@example.test"]] {
            #expect(try await signedIn.start(arguments).wait().status == 2)
        }
        #expect(try await actions(signedIn).count == 2)
        let one = try await signedIn.run("log", "erase", "--account", "ada@example.test", "--yes", "--json")
        #expect(one.status == 0 && one.json?["erased"]?.integer == 1)
        #expect(try await actions(signedIn) == ["signIn"])
        #expect(try await signedIn.run("log", "erase", "--yes").status == 0)
        #expect(try await actions(signedIn).isEmpty)
        #expect(try await signedIn.run("log", "verify").status == 0)
    }

    @Test("what a first sign-in that failed has left is shown, and erased with its folder") func leftByFailure()
        async throws
    {
        let tool = try Tool()
        let login = ["login", "--issuer", "http://127.0.0.1:9", "--client-id", "x", "--no-browser"]
        for profile in [nil, "other"] {
            let option = profile.map { ["--profile", $0] } ?? []
            #expect(try await tool.start(login + option).wait().status == 4)
            let shown = try await tool.start(["log", "--json"] + option).wait()
            #expect(shown.status == 0 && shown.json?["profile"]?.string == profile ?? "default")
            #expect(shown.json?["entries"]?.array?.compactMap { $0["action"]?.string } == ["signIn"])
            #expect(try await tool.start(["log", "verify"] + option).wait().status == 0)
            #expect(try await tool.start(["log", "erase", "--yes"] + option).wait().status == 0)
            #expect(try SystemFiles().status("\(tool.data)/latchkey/audit/\(profile ?? "default")") == nil)
            let gone = try await tool.start(["log"] + option).wait()
            #expect(gone.status == (profile == nil ? 3 : 8), "\(gone.errors)")
        }
    }

    @Test("the log of a profile that was removed is shown, and erased with its folder") func leftByRemoval()
        async throws
    {
        let signedIn = try await SignedIn()
        #expect(try await signedIn.run("profiles", "remove", "default", "--force").status == 0)
        #expect(try await actions(signedIn).contains("signedOut"))
        #expect(try await signedIn.run("log", "erase", "--yes").status == 0)
        #expect(try await signedIn.run("log").status == 3)
    }

    @Test("a log that cannot be written is told, and the command does its work") func unwritten() async throws {
        let signedIn = try await SignedIn()
        try SystemFiles().setMode(file(signedIn), 0o644)
        let result = try await signedIn.run("logout")
        #expect(result.status == 0 && result.output == "Signed out.\n")
        #expect(result.errors.contains("The security log was not written: "), "\(result.errors)")
    }
}
