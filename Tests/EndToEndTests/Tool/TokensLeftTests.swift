import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import Testing

@testable import LatchkeyCommand

/// What commands leave that say that a session is gone from here.
@Suite("Tokens that are left", .timeLimit(.minutes(4))) struct TokensLeftTests {
    private static let passphrase = "correct horse battery staple\n"

    /// The commands that end, move or remove, after which no old token may be in any file.
    private static let commands: [(lines: [[String]], signsInAgain: Bool)] = [
        ([["logout"]], true), ([["store", "wipe", "--yes"]], true),
        ([["logout"], ["profiles", "remove", "default"]], false),
        ([["logout"], ["profiles", "remove", "default"]], true),
        ([["profiles", "remove", "default", "--force"]], true),
        ([["store", "migrate", "--to", "encrypted", "--passphrase-from-stdin"]], true),
    ]

    @Test("no command that says a session is gone leaves its tokens, in records or in what was set aside")
    func table() async throws {
        var left = 0
        for (lines, signsInAgain) in Self.commands {
            let server = try Service.start()
            let tool = try Tool()
            _ = try await SignedIn.login(tool, server)
            var tokens = try Self.renewals(tool)
            #expect(tokens.count == 1)
            try Self.damage(tool)
            #expect(try await tool.run("store", "repair", "--set-aside").status == 0)
            #expect(tokens.allSatisfy { FilesBelow.content(tool.data).contains($0) })
            if signsInAgain {
                _ = try await SignedIn.login(tool, server)
                tokens += try Self.renewals(tool)
            }
            var last: Program.Result?
            for line in lines { last = try await tool.start(line, input: Self.passphrase).wait() }
            #expect(last?.status == 0, "\(lines) \(last?.errors ?? "")")
            let content = FilesBelow.content(tool.data)
            let found = tokens.count { content.contains($0) }
            #expect(found == 0, "\(lines) said: \(last?.output ?? "")")
            left += found
        }
        print("commands=\(Self.commands.count) tokens_left=\(left)")
    }

    @Test("logout and profiles remove end a session at the service that can be read in a copy that was set aside")
    func ended() async throws {
        let force = [["profiles", "remove", "default", "--force"]]
        for lines in [[["logout"]], [["logout"], ["profiles", "remove", "default"]], force] {
            let server = try Service.start()
            let tool = try Tool()
            _ = try await SignedIn.login(tool, server)
            try Self.damage(tool)
            #expect(try await tool.run("store", "repair", "--set-aside").status == 0)
            _ = try await SignedIn.login(tool, server)
            var said = ""
            for line in lines { said += try await tool.start(line).wait().errors }
            #expect(said.contains("1 session of a damaged copy ended at the service"), "\(lines): \(said)")
            #expect(server.log().count { $0.endpoint == .revocation } == 2, "\(lines)")
        }
    }

    @Test("doctor lists what was set aside, also an encrypted file")
    func listed() async throws {
        let signedIn = try await SignedIn()
        try Self.damage(signedIn.tool)
        #expect(try await signedIn.run("store", "repair", "--set-aside").status == 0)
        let doctor = try await signedIn.run("doctor", "--offline")
        #expect(doctor.output.contains("1 file was set aside, with tokens that may be valid"), "\(doctor.output)")
    }

    private static func record(_ tool: Tool) throws -> String {
        try #require(
            FilesBelow.list("\(tool.data)/latchkey/default").first {
                $0.contains("/credential-") && $0.hasSuffix(".record")
            })
    }

    /// The refresh token in the record.
    private static func renewals(_ tool: Tool) throws -> [String] {
        let bytes = try SystemFiles().read(try record(tool), limit: 1 << 20) ?? []
        return String(decoding: bytes, as: UTF8.self).matches(of: /"renewal":"([^"]+)"/).map { String($0.1) }
    }

    private static func damage(_ tool: Tool) throws {
        let path = try record(tool)
        let bytes = try SystemFiles().read(path, limit: 1 << 20) ?? []
        try SystemFiles().remove(path)
        try SystemFiles().writeNew(path, bytes + [0x78])
    }
}
