import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyCommand

@Suite("what the tool says of the refresh token's end") struct SessionEndTests {
    @Test("status shows it where the service tells it, and no other service has such a line")
    func told() async throws {
        for tells in [true, false] {
            let scene = try await SignedIn {
                $0.tellsRefreshTokenLifetime = tells
                $0.refreshTokenLifetime = 1_800
            }
            for _ in 0..<2 {
                let until = try await scene.run("status", "--json").json?["sessionUntil"]?.string
                #expect((until?.hasSuffix("Z") == true) == tells, "\(until ?? "-")")
                let lines = try await scene.run("status").output
                #expect((lines.firstMatch(of: /refresh +until \S+ \(in (29|30)m/) != nil) == tells, "\(lines)")
                #expect(try await scene.run("refresh").status == 0)
            }
        }
    }

    @Test("where nothing can refresh the session, it is over with its token for every command")
    func withoutRefreshToken() async throws {
        let scene = try await SignedIn({ $0.accessTokenLifetime = 2 }, "--scope", "openid", "--scope", "email")
        var state: String?
        for _ in 0..<2_000 where state != "signInRequired.expired" {
            state = try await scene.run("status", "--json").json?["state"]?.string
        }
        #expect(state == "signInRequired.expired")
        for command in ["token", "status", "whoami", "refresh"] {
            let result = try await scene.run(command)
            #expect(result.status == 3 && !result.output.contains("signed in"), "\(command): \(result.output)")
        }
        for command in ["accounts", "doctor"] {
            let result = try await scene.run(command)
            #expect(result.status == 0 && result.output.contains("must sign in again"), "\(command): \(result.output)")
        }
    }

    @Test("one that has ended is told as ended, and the account is not called signed in")
    func over() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let account = Account(
            id: AccountID("oauth https://id.example ada"), provider: "oauth", authority: "https://id.example",
            state: .signInRequired(.expired), sessionUntil: now.addingTimeInterval(-60))
        let report = AccountReport(account: account, now: now)
        #expect(report.status == .signIn && report.words().contains("must sign in again"))
        #expect(report.sessionEnds(.english)?.hasPrefix("ended at 2027-01-15T") == true)
        #expect(report.sessionEnds(ToolTexts(language: .french))?.hasPrefix("terminé le ") == true)
        #expect(report.json["sessionUntil"]?.string?.hasSuffix("Z") == true)
    }
}
