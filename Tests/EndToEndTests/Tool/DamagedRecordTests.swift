import Latchkey
import LatchkeyJSON
import Testing

/// Two people in one profile, and the record of one of them is damaged.
@Suite("A damaged record blocks only itself", .timeLimit(.minutes(3))) struct DamagedRecordTests {
    private static let grace = "grace@example.test"
    private let files = SystemFiles()

    /// How a record comes to be damaged.
    enum Damage: String, CaseIterable, Sendable {
        case truncated, empty, garbage, foreign, flipped

        func bytes(of good: [UInt8]) -> [UInt8] {
            switch self {
            case .truncated: Array(good.dropLast(20))
            case .empty: []
            case .garbage: (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
            case .foreign: Array(#"{"format":1,"name":"somebody else's"}"#.utf8) + [0x0A]
            case .flipped: good.dropLast() + [good[good.count - 1] ^ 1]
            }
        }
    }

    private func directory(_ project: Project) -> String { "\(project.tool.data)/latchkey/default" }

    private func credentials(_ project: Project) -> [String] {
        FilesBelow.list(directory(project)).filter { $0.contains("/credential-") && $0.hasSuffix(".record") }
    }

    /// Ada and Grace, who signed in last; the file of each.
    private func scene() async throws -> (Project, ada: String, grace: String) {
        let project = try Project()
        try await project.signIn()
        let first = credentials(project)
        let second = try await project.login(
            "--account", Self.grace, "--password-from-stdin", input: "grace-password\n")
        try #require(second.status == 0, "\(second.errors)")
        let ada = try #require(first.first)
        return (project, ada, try #require(credentials(project).first { $0 != ada }))
    }

    private func damage(_ path: String, _ how: Damage) throws -> [UInt8] {
        let good = try #require(try files.read(path, limit: 1 << 20))
        let bad = how.bytes(of: good)
        try files.remove(path)
        try files.writeNew(path, bad)
        return bad
    }

    @Test("who else is signed in works on, though the current account is damaged", arguments: Damage.allCases)
    func current(_ how: Damage) async throws {
        let (project, _, grace) = try await scene()
        let bad = try damage(grace, how)
        for words in [["token"], ["token", "--account", Self.grace], ["status"], ["logout", "--account", Self.grace]] {
            let result = try await project.tool.start(words).wait()
            #expect(result.status == 7 && result.errors.hasPrefix("latchkey: \(grace) "), "\(words)\n\(result.errors)")
            #expect(result.errors.contains("latchkey store repair --set-aside"))
        }
        #expect(try await project.run("token", "--account", Project.ada).status == 0)
        #expect(try await project.run("refresh", "--account", Project.ada).status == 0)
        let status = try await project.run("status", "--account", Project.ada, "--json")
        #expect(status.status == 0 && status.json?["label"]?.string == Project.ada)
        #expect(status.json?["problem"]?["code"]?.string == "store.damaged")
        let accounts = try await project.run("accounts")
        #expect(accounts.status == 0 && accounts.output.contains("\(Project.ada)  signed in\n  problem: \(grace) "))
        let doctor = try await project.run("doctor", "--offline")
        #expect(doctor.status == 7)
        #expect(doctor.output.contains("ok   session      \(Project.ada): signed in"))
        #expect(doctor.output.contains("fail records      \(grace) "))
        #expect(try await project.run("switch", Project.ada).status == 0)
        #expect(try await project.run("token").status == 0)
        #expect(try files.read(grace, limit: 1 << 20) == bad, "what is damaged was changed")
        #expect(try await project.run("logout", "--account", Project.ada).status == 0)
        #expect(try files.read(grace, limit: 1 << 20) == bad, "what is damaged was changed")
    }

    @Test("another account's damage does not hide the current one", arguments: Damage.allCases)
    func other(_ how: Damage) async throws {
        let (project, ada, _) = try await scene()
        let bad = try damage(ada, how)
        #expect(try await project.run("token").status == 0)
        #expect(try await project.run("status").output.contains("problem  \(ada) "))
        for command in ["switch \(Project.ada)", "token --account \(Project.ada)"] {
            let result = try await project.tool.start(command.split(separator: " ").map(String.init)).wait()
            #expect(result.status == 7 && result.errors.contains(ada), "\(result.errors)")
        }
        #expect(try files.read(ada, limit: 1 << 20) == bad)
    }

    @Test("signing in again keeps the damaged file under another name and says so", arguments: Damage.allCases)
    func again(_ how: Damage) async throws {
        let (project, _, grace) = try await scene()
        let bad = try damage(grace, how)
        let login = try await project.login("--account", Self.grace, "--password-from-stdin", input: "grace-password\n")
        #expect(login.status == 0, "\(login.errors)")
        #expect(login.errors.hasPrefix("latchkey: \(grace) is damaged; it is kept as \(grace).damaged-"))
        let aside = try #require(FilesBelow.list(directory(project)).first { $0.hasPrefix(grace + ".damaged-") })
        #expect(try files.read(aside, limit: 1 << 20) == bad)
        #expect(try await project.run("accounts", "--names").output == "\(Self.grace)\n\(Project.ada)\n")
    }

    @Test("it can be set aside without a sign-in, and then nothing is a problem any more")
    func repair() async throws {
        let (project, ada, _) = try await scene()
        let bad = try damage(ada, .garbage)
        let repair = try await project.run("store", "repair", "--set-aside", "--json")
        #expect(repair.status == 0, "\(repair.errors)")
        let aside = try #require(repair.json?["repaired"]?.array?.first?.string)
        #expect(try files.read(aside, limit: 1 << 20) == bad && aside.hasPrefix(ada))
        #expect(try await project.run("status", "--json").json?["problem"] == nil)
        #expect(try await project.run("store", "repair", "--set-aside").output == "Nothing was to be mended.\n")
    }

    @Test("a damaged choice of the current account costs only the choice")
    func settings() async throws {
        let (project, _, _) = try await scene()
        let choice = try #require(FilesBelow.list(directory(project)).first { $0.contains("/settings-") })
        _ = try damage(choice, .truncated)
        #expect(try await project.run("token", "--account", Project.ada).status == 0)
        let names = try await project.run("accounts", "--names").output
        #expect(names.split(separator: "\n").sorted() == [Project.ada[...], Self.grace[...]])
        let token = try await project.run("token")
        #expect(token.status == 7 && token.errors.contains(choice))
        #expect(try await project.run("store", "repair", "--set-aside").status == 0)
        #expect(try await project.run("switch", Self.grace).status == 0)
        #expect(try await project.run("token").status == 0)
    }

    @Test("of an encrypted file each part guards the whole: the error names the file and the repair, which keeps it")
    func vault() async throws {
        let project = try Project()
        let pass = "a passphrase of some length\n"
        try await project.signIn()
        let moved = try await project.run(
            "store", "migrate", "--to", "encrypted", "--passphrase-from-stdin", input: pass + pass)
        try #require(moved.status == 0, "\(moved.errors)")
        let path = "\(directory(project))/vault/vault.lkv"
        let bad = try damage(path, .truncated)
        let token = try await project.run("token")
        #expect(token.status == 7 && token.errors.contains("latchkey store repair --set-aside"), "\(token.errors)")
        #expect(token.errors.contains(path), "\(token.errors)")
        #expect(try files.read(path, limit: 1 << 20) == bad)
        #expect(try await project.run("store", "repair", "--set-aside").status == 0)
        #expect(FilesBelow.list(directory(project)).contains { $0.hasPrefix(path + ".") })
    }
}
