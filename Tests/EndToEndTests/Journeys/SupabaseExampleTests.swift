import FoundationEssentials
import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeySupabase
import Testing

/// The small programs under `Examples` that sign in at Supabase, as they are built, against a server of GoTrue's rules
/// over real sockets and files.
@Suite("The example programs for Supabase") struct SupabaseExampleTests {
    private let folder = TemporaryFolder()
    private let server: DevServer
    private static let key = "sb_publishable_development"
    private static let ada = "ada@example.test"

    init() throws { server = try Service.start { $0.supabase.resendGap = 0 } }

    @Test("supabase-password wants the app's code of whoever has one, and asks again for a wrong one")
    func password() async throws {
        let added = try await talk(
            "supabase-password", Self.ada, "protect",
            answering: [("Password: ", { _ in "ada-password" }), ("give up:", { try Self.code($0) })])
        #expect(added.contains("Signed in as ada@example.test, with assurance aal2."))
        let corrected = try await talk(
            "supabase-password", Self.ada,
            answering: [
                ("Password: ", { _ in "ada-password" }), ("give up:", { _ in "000000" }),
                ("give up:", { _ in try Self.code(added) }),
            ])
        #expect(corrected.contains("Signed in as ada@example.test, with assurance aal2."))
        #expect(!(added + corrected).contains("ada-password"))
        #expect(server.supabaseSessions(of: Self.ada).isEmpty)
    }

    @Test(
        "supabase-password leaves no half-way session at the service, however it failed",
        arguments: [
            (["ada-password", ""], "The person declined."),
            (["ada-password", "000000", "000000", "000000"], "The code of the factor is wrong."),
            (["ada-password", "000000", ""], "The person declined."),
            (["another-password"], "The address or the password is wrong."),
        ])
    func refusedPassword(typed: [String], message: String) async throws {
        _ = try await talk(
            "supabase-password", Self.ada, "protect",
            answering: [("Password: ", { _ in "ada-password" }), ("give up:", { try Self.code($0) })])
        let questions = ["Password: "] + typed.dropFirst().map { _ in "give up:" }
        let screen = try await talk(
            "supabase-password", Self.ada, answering: zip(questions, typed).map { word in (word.0, { _ in word.1 }) })
        #expect(screen.contains("Failed: \(message)"))
        #expect(server.supabaseSessions(of: Self.ada).isEmpty)
    }

    @Test("supabase-link signs in the process that asked once another one has opened the link")
    func link() async throws {
        for _ in 0..<2 {
            let (asking, terminal, link) = try await askForLink()
            let opened = try await run("supabase-link", try await Browser().destination(of: link))
            #expect(opened.output == "Signed in as ada@example.test.\n", "\(opened.errors)")
            #expect(try await asking.wait().status == 0)
            #expect(terminal.screen().hasSuffix("Signed in as ada@example.test.\r\n"))
            #expect(server.supabaseSessions(of: Self.ada).map(\.methods) == [["magiclink"]])
        }
    }

    @Test("supabase-link takes a link once, and on the device that asked alone: elsewhere nothing is sent")
    func refusedLink() async throws {
        let (asking, _, link) = try await askForLink()
        let address = try await Browser().destination(of: link)
        let requests = server.log().count
        let elsewhere = try await run("supabase-link", address, home: "there")
        #expect(elsewhere.output.hasPrefix("Failed: The link was asked for on another device"))
        #expect(server.log().count == requests)
        #expect(try await run("supabase-link", address).output == "Signed in as ada@example.test.\n")
        _ = try await asking.wait()
        let before = server.log().count
        #expect(try await run("supabase-link", address).output.hasPrefix("Failed: The link was asked for on another"))
        #expect(server.log().count == before)
        let clicked = try await run("supabase-link", try await Browser().destination(of: link))
        #expect(clicked.output.hasPrefix("Failed: The link was used, is too old, or was opened by a mail scanner."))
        #expect(server.supabaseSessions(of: Self.ada).count == 1)
    }

    @Test("supabase-guest is the same guest at each start, and the same account under an address")
    func guest() async throws {
        let mail = "somebody@example.test"
        let guest = try await run("supabase-guest")
        let id = String(try #require(guest.output.wholeMatch(of: /A guest: ([0-9a-f-]{36})\.\n/), "\(guest.errors)").1)
        #expect(try await run("supabase-guest").output == guest.output)

        let mistyped = try await talk(
            "supabase-guest", mail, answering: [("Code sent to \(mail): ", { _ in "000000" })])
        #expect(mistyped.contains("Failed: The code is wrong, was used, or is too old."))
        #expect(try await run("supabase-guest").output == guest.output)
        let taken = try await run("supabase-guest", Self.ada)
        #expect(taken.output.hasPrefix("Failed: Another account has this mail address."))

        let server = server
        let kept = try await talk(
            "supabase-guest", mail,
            answering: [("Code sent to \(mail): ", { _ in try #require(server.inbox(of: mail).last).code })])
        #expect(kept.contains("\(mail): \(id)."))
        #expect(try await run("supabase-guest").output == "\(mail): \(id).\n")
        #expect(server.supabaseSessions(of: mail).map(\.user) == [id])

        // Somewhere else, with nothing but the address.
        let elsewhere = try client()
        let step = try await elsewhere.begin(.signIn(.code(identifier: mail, over: .mail)), with: "supabase")
        guard case .asked(let challenge) = step else { throw AuthError(.declined, "Nothing is asked.") }
        let code = Secret(try #require(server.inbox(of: mail).last).code)
        guard case .signedIn(let session) = try await elsewhere.answer(.code(code), to: challenge.id) else {
            throw AuthError(.declined, "Nobody is signed in.")
        }
        #expect(session.supabaseUser?.id == id)
    }

    @Test("supabase-browser signs in once; the next start finds the session, also without the service")
    func browser() async throws {
        let first = try await run("supabase-browser", "github")
        #expect(first.output == "Signed in as person@example.test by github.\n", "\(first.errors)")
        #expect(server.supabaseSessions(of: "person@example.test").map(\.methods) == [["oauth"]])
        let url = server.supabaseURL
        server.stop()
        let offline = try await Program.built("supabase-browser").run(
            [url, Self.key, "github"], environment: variables())
        #expect(offline.output == "Still signed in as person@example.test.\n", "\(offline.errors)")
    }

    @Test("supabase-browser says so when the person declines there, and nobody is signed in")
    func refusedBrowser() async throws {
        let script = "\(folder.path)/browser"
        let curl = "curl --silent --noproxy '*' --output /dev/null"
        let lines = [
            "#!/bin/sh", "address=$(\(curl) --write-out '%{redirect_url}' \"$1\")",
            "exec \(curl) --location \"$address&login_hint=nobody\"\n",
        ]
        try SystemFiles().writeNew(script, Array(lines.joined(separator: "\n").utf8))
        folder.setMode(script, 0o700)
        let result = try await run("supabase-browser", "github", browser: script)
        #expect(result.output.hasPrefix("Failed: The identity provider, or the person there, said no."))
        #expect(server.supabaseSessions().isEmpty)
    }

    @Test(
        "each says how it is used, and what is wrong with its project",
        arguments: [
            ("supabase-password", ["ada@example.test"]), ("supabase-link", ["ada@example.test"]),
            ("supabase-guest", []),
            ("supabase-browser", ["github"]),
        ])
    func usage(name: String, words: [String]) async throws {
        let program = try Program.built(name)
        #expect(try await program.run([], environment: variables()).output.hasPrefix("usage: \(name) PROJECT_URL KEY"))
        let secret = try await program.run([server.supabaseURL, "sb_secret_x"] + words, environment: variables())
        #expect(secret.status != 0 && secret.errors.contains("The key is a secret one"))
    }

    @Test("the closure in the examples' README hands supabase-swift a good token, and none where nobody is signed in")
    func accessToken() async throws {
        let auth = try client()
        let accessToken: @Sendable () async throws -> String? = {
            try await auth.accounts().isEmpty ? nil : auth.accessToken().value.revealText()
        }
        #expect(try await accessToken() == nil)
        _ = try await auth.signIn(with: "supabase", .anonymous)
        let token = try #require(try await accessToken())
        let request = TransportRequest(
            "GET", "\(server.supabaseURL)/auth/v1/user",
            fields: ["apikey": Self.key, "Authorization": "Bearer \(token)"])
        #expect(try await CurlTransport().send(request, deadline: .seconds(10)).status == 200)
        try await auth.signOut()
        #expect(try await accessToken() == nil)

        let readme = try Repository.text("Examples/README.md")
        let block = try #require(readme.firstMatch(of: /```swift\n((?s:.*?))```/)?.1)
        let closure = block.prefix(upTo: try #require(block.firstRange(of: "\n}\n")).upperBound)
        let own = try Repository.text("Tests/EndToEndTests/Journeys/SupabaseExampleTests.swift")
        let indented = closure.split(separator: "\n").map { "        \($0)\n" }.joined()
        #expect(own.contains(indented))
    }
}

extension SupabaseExampleTests {
    private func client() throws -> AuthClient {
        try AuthClient.Builder().provider(.supabase(projectURL: server.supabaseURL, publishableKey: Self.key))
            .transport(.curl()).build()
    }

    /// What keeps a program to a device of its own.
    private func variables(home: String = "here", browser: String? = nil) -> [String: String] {
        [
            "HOME": "\(folder.path)/\(home)", "XDG_DATA_HOME": "\(folder.path)/\(home)/data", "LANG": "C",
            "BROWSER": browser ?? "curl --silent --location --noproxy * --output /dev/null",
        ]
    }

    private func run(
        _ name: String, _ words: String..., home: String = "here", browser: String? = nil
    ) async throws -> Program.Result {
        try await Program.built(name).run(
            [server.supabaseURL, Self.key] + words, environment: variables(home: home, browser: browser))
    }

    /// Runs a program at a terminal, where each question is answered once it shows; the whole screen.
    private func talk(
        _ name: String, _ words: String..., answering: [(question: String, answer: (String) throws -> String)]
    ) async throws -> String {
        let terminal = try TestTerminal()
        let child = try Program.built(name).start(
            at: terminal, [server.supabaseURL, Self.key] + words, environment: variables())
        var seen = 0
        for (question, answer) in answering {
            try await terminal.wait {
                String(decoding: terminal.screen().utf8.dropFirst(seen), as: UTF8.self).contains(question)
            }
            let screen = terminal.screen()
            seen = screen.utf8.count
            terminal.type("\(try answer(screen))\n")
        }
        #expect(try await child.wait().status == 0)
        return terminal.screen()
    }

    /// The code that the app shows now whose secret stands on `screen`.
    private static func code(_ screen: String) throws -> String {
        let secret = String(try #require(screen.firstMatch(of: /secret=([A-Z2-7]+)/)).1)
        return try #require(DevServer.TOTP.code(secret: secret, at: Date().timeIntervalSince1970))
    }

    /// A process that waits, at a terminal, for its link to be opened; and the link.
    private func askForLink() async throws -> (child: Child, terminal: TestTerminal, link: String) {
        let terminal = try TestTerminal()
        let child = try Program.built("supabase-link").start(
            at: terminal, [server.supabaseURL, Self.key, Self.ada], environment: variables())
        try await terminal.wait { terminal.screen().contains("A link was sent to \(Self.ada).") }
        return (child, terminal, try #require(server.inbox(of: Self.ada).last?.link))
    }
}
