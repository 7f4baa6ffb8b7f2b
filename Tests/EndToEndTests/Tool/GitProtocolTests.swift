import Foundation
import Latchkey
import LatchkeyDevServer
import Testing

@testable import LatchkeyCommand

/// What git 2.46 and later writes to a credential helper and reads from it, line by line, and what older ones do
/// (git-credential(1), and git's own tests of it, t5563).
@Suite("git's protocol") struct GitProtocolTests {
    private static let head = "protocol=https\nhost=git.example\n"
    private static let new = "capability[]=authtype\ncapability[]=state\n" + head
    private static let bearer = ["capability[]=authtype", "authtype=Bearer", "credential=T", "ephemeral=1"]
    private static let basic = [
        "capability[]=authtype", "username=x-access-token", "password=T", "ephemeral=1",
    ]
    private static let old = ["username=x-access-token", "password=T"]

    private func answer(_ request: String, until end: Int64? = nil) throws -> [String]? {
        let request = try #require(GitRequest(Array(request.utf8)))
        return request.manner.map {
            GitAnswer.lines(
                AccessToken(Secret("T")), until: end, to: request, as: $0, user: "x-access-token")
        }
    }

    @Test(
        "the token goes as the server asks for it: as Bearer where it takes that, else as a password, else not at all",
        arguments: [
            // git 2.46 and later.
            (new, bearer),
            (new + "wwwauth[]=Basic realm=\"GitLab\"\n", basic),
            (new + "wwwauth[]=basic\n", basic),
            (new + "wwwauth[]=Bearer\n", bearer),
            (new + "wwwauth[]=bEARER realm=\"x\", error=\"invalid_token\"\n", bearer),
            (new + "wwwauth[]=Basic realm=\"a\"\nwwwauth[]=Bearer realm=\"b\"\n", bearer),
            (new + "wwwauth[]=Basic realm=\"a\", Bearer realm=\"b\"\n", bearer),
            (new + "wwwauth[]=Basic realm=\"Bearer\"\n", basic),
            (new + "wwwauth[]=Bearer\nwwwauth[]=\nwwwauth[]=Basic realm=\"a\"\n", basic),
            (new + "wwwauth[]=Basic realm=\"a\tb\"\n", basic),
            (new + "state[]=other:1\ncontinue=1\nunknown=x\nunknown[]=y\nwwwauth[]=Basic x=\"\"\n", basic),
            (new + "wwwauth[]=Negotiate\n", nil),
            (new + "wwwauth[]=NTLM\nwwwauth[]=Digest realm=\"x\", nonce=\"y\"\n", nil),
            ("capability[]=state\n" + head + "wwwauth[]=Bearer\n", old),
            ("capability[]=authtype\ncapability[]=\n" + head, old),
            // Before 2.46, which cannot send Bearer; before 2.41, which does not say what the server asked for.
            (head, old),
            (head + "path=a.git\nwwwauth[]=Basic realm=\"x\"\n", old),
            (head + "wwwauth[]=Bearer\n", old),
            (head + "wwwauth[]=Negotiate\n", nil),
            (head + "\nprotocol=http\n", old),
        ] as [(String, [String]?)])
    func manners(request: String, lines: [String]?) throws {
        #expect(try answer(request) == lines, "\(request)")
    }

    @Test("the token's end is told where it is known, and none is made up where it is not")
    func end() throws {
        #expect(try answer(Self.new, until: 1_800_000_000) == Self.bearer + ["password_expiry_utc=1800000000"])
        #expect(try answer(Self.head, until: 1_800_000_000) == Self.old + ["password_expiry_utc=1800000000"])
        #expect(try answer(Self.new)?.contains { $0.hasPrefix("password_expiry") } == false)
    }

    @Test("the name in the address goes with the token that is a password")
    func name() throws {
        let lines = try answer(Self.new + "username=ada\nwwwauth[]=Basic realm=\"x\"\n")
        #expect(lines == ["capability[]=authtype", "username=ada", "password=T", "ephemeral=1"])
    }

    @Test("a server's words in any encoding do not spoil the request")
    func encoding() throws {
        let bytes = Array((Self.new + "wwwauth[]=Basic realm=\"Gr").utf8) + [0xFC, 0xDF] + Array("e\"\n".utf8)
        #expect(GitRequest(bytes)?.manner == .basic)
    }

    @Test(
        "what git does not write is refused",
        arguments: ["nonsense", "=x\n", "protocol=https\nhost=a\rb\n", "host=\u{1}\n", "password=a\u{7F}\n"])
    func refused(text: String) { #expect(GitRequest(Array(text.utf8)) == nil) }

    @Test("erase: a refused token is never given out again, by any process: the next get refreshes")
    func erased() async throws {
        let scene = try await SignedIn({ _ in }, "--allow-origin", "https://git.example")
        for request in [Self.new + "wwwauth[]=Basic realm=\"x\"\n", Self.new, Self.head] {
            let given = try await scene.run("credential", "git", "get", input: request)
            let token = try #require(given.output.firstMatch(of: /(?:password|credential)=(.+)/)?.1)
            let refused = request + given.output
            #expect(try await scene.run("credential", "git", "erase", input: refused).status == 0)
            let next = try await scene.run("credential", "git", "get", input: request)
            #expect(next.status == 0 && !next.output.isEmpty && !next.output.contains(token), "\(next.errors)")
            #expect(try await scene.run("token").line != token)
        }
    }

    @Test(
        "erase for another host, another token or another name changes nothing, and store does nothing at all",
        arguments: [
            ("erase", "protocol=https\nhost=other.example\npassword=TOKEN\n"),
            ("erase", "protocol=http\nhost=git.example\npassword=TOKEN\n"),
            ("erase", "protocol=https\nhost=git.example\npassword=TOKENx\n"),
            ("erase", "protocol=https\nhost=git.example\npassword=\n"),
            ("erase", "protocol=https\nhost=git.example\nauthtype=Bearer\ncredential=other\n"),
            ("erase", "protocol=https\nhost=git.example\nusername=somebody\n"),
            ("store", "protocol=https\nhost=git.example\npassword=TOKEN\n"),
            ("later", "protocol=https\nhost=git.example\npassword=TOKEN\n"),
        ])
    func kept(action: String, request: String) async throws {
        let scene = try await SignedIn({ _ in }, "--allow-origin", "https://git.example")
        let token = try await scene.run("token").line
        let input = request.replacing("TOKEN", with: token)
        let result = try await scene.run("credential", "git", action, input: input)
        #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty)
        #expect(try await scene.run("token").line == token)
    }

    @Test("a person who rejects what is there for the host, without naming the token, gets another one")
    func unnamed() async throws {
        let scene = try await SignedIn({ _ in }, "--allow-origin", "https://git.example")
        let token = try await scene.run("token").line
        #expect(try await scene.run("credential", "git", "erase", input: Self.head).status == 0)
        #expect(try await scene.run("token").line != token)
    }

    @Test("without a network after erase, git gets no token, and is told not to ask anybody else")
    func offline() async throws {
        let scene = try await SignedIn({ _ in }, "--allow-origin", "https://git.example")
        let token = try await scene.run("token").line
        _ = try await scene.run("credential", "git", "erase", input: Self.head + "password=\(token)\n")
        scene.server.stop()
        let next = try await scene.run("credential", "git", "get", input: Self.new)
        #expect(next.status == 4 && next.output == "quit=1\n", "\(next.status) \(next.errors)")
        #expect(!next.errors.contains(token))
    }

    @Test("if the session has ended, git is told to quit, and the person to sign in")
    func ended() async throws {
        let scene = try await SignedIn({ _ in }, "--allow-origin", "https://git.example")
        let token = try await scene.run("token").line
        scene.server.revoke(subject: "user-ada")
        _ = try await scene.run("credential", "git", "erase", input: Self.head + "password=\(token)\n")
        let next = try await scene.run("credential", "git", "get", input: Self.new)
        #expect(next.status == 3 && next.output == "quit=1\n", "\(next.status) \(next.errors)")
        #expect(next.errors.contains("latchkey login"))
    }
}
