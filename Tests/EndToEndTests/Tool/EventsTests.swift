import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyTesting
import Testing

@Suite("events")
struct EventsTests {
    private func lines(_ text: String) -> [JSON] {
        text.split(separator: "\n").compactMap { try? JSON.parse(Array($0.utf8)) }
    }

    private func names(_ text: String) -> [String] { lines(text).compactMap { $0["event"]?.string } }

    @Test("without --follow the states are shown once, and that is all")
    func once() async throws {
        let signedIn = try await SignedIn()
        let result = try await signedIn.run("events")
        #expect(result.status == 0)
        #expect(result.output.wholeMatch(of: /\d\d:\d\d:\d\d  \S.* is signed in\n/) != nil, "\(result.output)")
        let json = try await signedIn.run("events", "--json")
        #expect(names(json.output) == ["state"])
        #expect(json.json?["state"]?.string == "fresh")
    }

    #if os(Linux)
        @Test("with --follow what other processes do is shown as it happens, until Ctrl-C, which ends it with 130")
        func follow() async throws {
            if let reason = WatchLimit.reached { try Test.cancel("\(reason)") }
            let signedIn = try await SignedIn()
            let people = try signedIn.start(["events", "--follow"])
            let programs = try signedIn.start(["events", "--follow", "--json"])
            for child in [people, programs] {
                _ = try await child.find { output, _ in output.contains("\n") ? true : nil }
            }
            #expect(try await signedIn.run("refresh").status == 0)
            for child in [people, programs] {
                _ = try await child.find { output, _ in
                    output.contains("has a new token") || output.contains("refreshed") ? true : nil
                }
            }
            #expect(try await signedIn.run("logout").status == 0)
            for child in [people, programs] {
                _ = try await child.find { output, _ in
                    output.contains("No account is current") || output.contains("currentChanged") ? true : nil
                }
                child.interrupt()
                let ended = try await child.wait()
                #expect(ended.status == 130)
                #expect(!ended.output.contains("eyJ"))
            }
            #expect(people.output.contains("was signed out by another process"), "\(people.output)")
            #expect(names(programs.output) == ["state", "refreshed", "signedOut", "currentChanged"])
            #expect(lines(programs.output).first { $0["event"]?.string == "signedOut" }?["by"]?.string == "elsewhere")
            #expect(lines(programs.output).allSatisfy { $0["at"]?.string?.hasSuffix("Z") == true })
        }
    #endif
}
