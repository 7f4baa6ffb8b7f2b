import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeyFileStore
import LatchkeyJSON
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

@Suite("doctor")
struct DoctorTests {
    /// The verdict of each check, in order.
    private func verdicts(_ result: Program.Result) -> [String] {
        result.json?["checks"]?.array?.map {
            "\($0["check"]?.string ?? "?") \($0["verdict"]?.string ?? "?")"
        } ?? []
    }

    private func directory(_ signedIn: SignedIn) -> String { "\(signedIn.data)/latchkey/default" }

    private func file(_ suffix: String, _ signedIn: SignedIn) throws -> String {
        let name = try SystemFiles().list(directory(signedIn)).first { $0.hasSuffix(suffix) }
        return "\(directory(signedIn))/\(try #require(name))"
    }

    @Test("a healthy login is all ok, in lines for people and in JSON, and the status is 0")
    func healthy() async throws {
        let signedIn = try await SignedIn()
        let result = try await signedIn.run("doctor")
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 12, "\(result.output)")
        #expect(lines.allSatisfy { $0.hasPrefix("ok   ") }, "\(result.output)")
        let json = try await signedIn.run("doctor", "--json")
        #expect(
            verdicts(json) == [
                "directory ok", "permissions ok", "writing ok", "locks ok", "leftovers ok", "records ok",
                "store ok", "session ok", "revocations ok", "tls ok", "discovery ok", "clock ok",
            ])
        #expect(json.json?["verdict"]?.string == "ok")
        #expect(json.status == 0)
    }

    @Test("offline it asks no service, and a service that is away is a failure of its own")
    func offline() async throws {
        let signedIn = try await SignedIn()
        signedIn.server.stop()
        let without = try await signedIn.run("doctor", "--offline", "--json")
        #expect(without.status == 0)
        #expect(!verdicts(without).contains { $0.hasPrefix("discovery") })
        let with = try await signedIn.run("doctor", "--json")
        #expect(with.status == 4)
        #expect(verdicts(with).last == "discovery fail")
        #expect(with.json?["verdict"]?.string == "fail")
    }

    @Test("files that others may read fail with 7, with a remedy, and stay as they are")
    func insecure() async throws {
        let signedIn = try await SignedIn()
        let record = try file(".record", signedIn)
        try #require(chmod(record, 0o644) == 0)
        let result = try await signedIn.run("doctor", "--offline")
        #expect(result.status == 7)
        #expect(result.output.contains("fail permissions  \(record) is open to others"), "\(result.output)")
        #expect(result.output.contains("     remedy: Close it to others"))
        #expect(try SystemFiles().status(record)?.mode == 0o644)
        try #require(chmod(record, 0o600) == 0)
        try #require(chmod(directory(signedIn), 0o755) == 0)
        let open = try await signedIn.run("doctor", "--offline", "--json")
        #expect(open.status == 7)
        #expect(verdicts(open).first == "directory fail")
    }

    @Test("a damaged record, a dead writer's file and one set aside are each told, and nothing is repaired")
    func damaged() async throws {
        let signedIn = try await SignedIn()
        let record = try file(".record", signedIn)
        let files = SystemFiles()
        let bytes = try #require(try files.read(record, limit: 1 << 20))
        try files.remove(record)
        try files.writeNew(record, Array(bytes.dropLast()))
        try files.writeNew("\(directory(signedIn))/.x.record.1.tmp", [1])
        try files.writeNew("\(directory(signedIn))/x.record.damaged-1", [1])
        let before = try files.list(directory(signedIn)).sorted()
        let result = try await signedIn.run("doctor", "--offline", "--json")
        #expect(result.status == 7)
        #expect(
            verdicts(result).filter { !$0.hasSuffix("ok") }.prefix(3) == [
                "leftovers warn", "leftovers warn", "records fail",
            ])
        #expect(try files.list(directory(signedIn)).sorted() == before)
    }

    @Test("who holds a lane is told, with since when, as a warning")
    func held() async throws {
        let signedIn = try await SignedIn()
        let files = SystemFiles()
        let held = try #require(try files.lock(try file(".lane", signedIn), sharing: false))
        held.note("pid 4711 (latchkey) \(Int64(Date.now.timeIntervalSince1970) - 90)")
        let result = try await signedIn.run("doctor", "--offline")
        #expect(result.status == 0)
        #expect(
            result.output.firstMatch(of: /warn locks +The lane \S+ is held by pid 4711 \(latchkey\), since \S+ \(1m/)
                != nil, "\(result.output)")
        #expect(result.output.contains("leave the lock file where it is"))
        held.release()
    }

    @Test("nobody signed in is a warning, and no profile at all is the usual error")
    func nobody() async throws {
        let signedIn = try await SignedIn()
        #expect(try await signedIn.run("logout").status == 0)
        let result = try await signedIn.run("doctor", "--offline", "--json")
        #expect(result.status == 0)
        #expect(verdicts(result).contains("session warn"))
        #expect(try await Tool().run("doctor").status == 3)
    }

    @Test("an environment in which TLS writes down its keys is a warning that says what to unset")
    func keyLog() async throws {
        let signedIn = try await SignedIn()
        let log = signedIn.folder.path + "/keys"
        let result = try await signedIn.run("doctor", "--offline", environment: ["SSLKEYLOGFILE": log])
        #expect(result.status == 0 && result.output.contains("$SSLKEYLOGFILE") && result.output.contains("Unset"))
        let other = try await signedIn.run("doctor", "--offline", environment: ["SSLKEYLOGFILE": ""])
        #expect(!other.output.contains("SSLKEYLOGFILE"))
    }

    @Test("no secret is printed")
    func secrecy() async throws {
        let signedIn = try await SignedIn()
        let token = try await signedIn.run("token").line
        for options in [["doctor"], ["doctor", "--json"]] {
            let result = try await signedIn.start(options).wait()
            #expect(!(result.output + result.errors).contains(token))
            #expect(!(result.output + result.errors).contains("eyJ"))
        }
    }
}
