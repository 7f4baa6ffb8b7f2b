import Latchkey
import LatchkeyCurl
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyLoopback

@Suite("Loopback presenter")
struct LoopbackPresenterTests {
    /// A presenter without a browser, and what it announced.
    static func presenter(
        _ options: LoopbackPresenter.Options = .init(), commands: [[String]] = [["/nonexistent/browser"]],
        paste: LoopbackPresenter.Paste? = nil, otherwise: (any ChallengePresenter)? = nil,
        stray: @escaping @Sendable (StrayRedirect) async -> Void = { _ in }
    ) -> (LoopbackPresenter, announced: Locked<[String]>) {
        let announced = Locked<[String]>([])
        var browser = Browser(environment: [:])
        browser.commands = commands
        let presenter = LoopbackPresenter(
            options, paste: paste, otherwise: otherwise,
            announce: { visit in announced.withLock { $0.append(visit.url) } }, stray: stray, context: .system,
            browser: browser)
        return (presenter, announced)
    }

    static let service = "https://id.example/authorize"

    static func visit(_ redirect: String, url: String = "https://id.example/authorize?state=s") -> Challenge {
        let binding = ProviderBinding(provider: ProviderID("test"), authority: "https://id.example", client: "client")
        return Challenge(id: "1", binding: binding, ask: .visit(url: url, redirect: redirect))
    }

    static func get(
        _ url: String, _ method: String = "GET", _ fields: HeaderFields = [:], body: [UInt8]? = nil
    ) async throws -> TransportResponse {
        try await CurlTransport().send(
            TransportRequest(method, url, fields: fields, body: body), deadline: .seconds(10))
    }

    /// The presenter's answer, once it has begun to wait for the browser.
    static func answer(
        _ presenter: LoopbackPresenter, _ announced: Locked<[String]>, _ challenge: Challenge
    ) async -> Task<Answer, any Error> {
        let before = announced.withLock { $0.count }
        let task = Task { try await presenter.answer(challenge) }
        while announced.withLock({ $0.count }) == before { await Task.yield() }
        return task
    }

    static let end = Result<ConversationEnd, AuthError>.failure(AuthError(.refused(.denied), "no"))

    /// Brings the redirect that the presenter waits for, and tells it how the sign-in ends.
    static func bring(
        _ url: String, _ fields: HeaderFields = [:], to presenter: LoopbackPresenter, _ answer: Task<Answer, any Error>,
        end: Result<ConversationEnd, AuthError> = end
    ) async throws -> (answer: Answer, page: TransportResponse) {
        async let page = get(url, "GET", fields)
        let answer = try await answer.value
        await presenter.conclude(end)
        return (answer, try await page)
    }

    /// Arrives as soon as the listener expects it.
    static func arrive(_ url: String) async throws -> TransportResponse {
        while true {
            let response = try await get(url)
            guard response.status == 404 else { return response }
            await Task.yield()
        }
    }

    static func address(_ answer: Answer) -> String? {
        if case .redirected(let secret) = answer { secret.revealText() } else { nil }
    }

    @Test(
        "The right redirect is the answer; its page is unkept, without a script, and holds nothing of it",
        .standard(2, 17, 26))
    func arrives() async throws {
        let (presenter, announced) = Self.presenter()
        let redirect = try await presenter.openRedirect()
        #expect(redirect.hasPrefix("http://127.0.0.1:"))
        let visit = Self.visit(redirect, url: "\(Self.service)?state=SECRET-STATE")
        let answer = await Self.answer(presenter, announced, visit)
        let (came, page) = try await Self.bring(
            "\(redirect)?code=SECRET-CODE&state=SECRET-STATE", to: presenter, answer)
        #expect(Self.address(came) == "\(redirect)?code=SECRET-CODE&state=SECRET-STATE")
        #expect(announced.withLock { $0 } == ["https://id.example/authorize?state=SECRET-STATE"])
        let text = String(decoding: page.body, as: UTF8.self)
        #expect(page.status == 200)
        #expect(text.contains("You are not signed in"))
        #expect(!text.contains("SECRET"))
        #expect(!text.contains("src=") && !text.contains("href=") && !text.contains("<script"))
        #expect(page.fields["Connection"]?.lowercased() == "close")
        #expect(page.fields["Cache-Control"] == "no-store")
        #expect(page.fields["Referrer-Policy"] == "no-referrer")
        #expect(page.fields["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        let second = try await Self.get("\(redirect)?code=OTHER&state=SECRET-STATE")
        #expect(second.status == 410)
        #expect(String(decoding: second.body, as: UTF8.self).contains("Already done"))
        await presenter.closeRedirect()
        await #expect(throws: TransportError(.unreachable, wasSent: false)) { try await Self.get(redirect) }
    }

    @Test("The page leads nowhere, whatever address the redirect brings, and is the same for all of them", .standard(2))
    func leadsNowhere() async throws {
        var pages: [[UInt8]] = []
        for query in ["code=1", "code=1&url=https://evil.example/", "code=1&next=//evil.example&redirect_uri=a&iss=b"] {
            let (presenter, announced) = Self.presenter()
            let redirect = try await presenter.openRedirect()
            let answer = await Self.answer(presenter, announced, Self.visit(redirect))
            let (_, page) = try await Self.bring("\(redirect)?\(query)&state=s", to: presenter, answer)
            await presenter.closeRedirect()
            #expect(page.status == 200 && page.fields["Location"] == nil && page.fields["Refresh"] == nil)
            #expect(!String(decoding: page.body, as: UTF8.self).lowercased().contains("http-equiv=\"refresh"))
            pages.append(page.body)
        }
        #expect(Set(pages).count == 1)
    }

    @Test("The page comes whole even when the listener is closed the moment the redirect is known")
    func closesAtOnce() async throws {
        for _ in 0..<20 {
            let (presenter, _) = Self.presenter()
            let redirect = try await presenter.openRedirect()
            async let page = Self.arrive("\(redirect)?code=1&state=s")
            _ = try await presenter.answer(Self.visit(redirect))
            await presenter.closeRedirect()
            #expect(try await page.status == 200)
        }
    }

    struct Junk: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method = "GET"
        var target: String
        var fields: HeaderFields = [:]
        var status: Int
    }

    static let junk = [
        Junk(testDescription: "favicon", target: "/favicon.ico", status: 404),
        Junk(testDescription: "another path", target: "/callback/x?code=1&state=s", status: 404),
        Junk(testDescription: "the path in another spelling", target: "/%63allback?code=1&state=s", status: 404),
        Junk(testDescription: "no query", target: "/callback", status: 404),
        Junk(testDescription: "an empty query", target: "/callback?", status: 404),
        Junk(testDescription: "POST", method: "POST", target: "/callback?code=1&state=s", status: 405),
        Junk(testDescription: "HEAD", method: "HEAD", target: "/callback?code=1&state=s", status: 405),
        Junk(
            testDescription: "another host", target: "/callback?code=1&state=s", fields: ["Host": "evil.example"],
            status: 421),
        Junk(
            testDescription: "no port", target: "/callback?code=1&state=s", fields: ["Host": "127.0.0.1"], status: 421),
        Junk(
            testDescription: "localhost", target: "/callback?code=1&state=s", fields: ["Host": "localhost:1"],
            status: 421),
        Junk(
            testDescription: "an image of a page", target: "/callback?code=1&state=s",
            fields: ["Sec-Fetch-Mode": "no-cors"],
            status: 403),
        Junk(
            testDescription: "a frame of a page", target: "/callback?code=1&state=s",
            fields: ["Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"], status: 403),
        Junk(
            testDescription: "a script's request", target: "/callback?code=1&state=s",
            fields: ["Sec-Fetch-Dest": "empty"], status: 403),
        Junk(testDescription: "no state", target: "/callback?code=1", status: 404),
        Junk(testDescription: "no parameter but a name", target: "/callback?x", status: 404),
        Junk(testDescription: "an error without a state", target: "/callback?error=access_denied", status: 404),
        Junk(testDescription: "another state", target: "/callback?code=1&state=t", status: 404),
        Junk(testDescription: "a longer state", target: "/callback?code=1&state=ss", status: 404),
        Junk(testDescription: "an empty state", target: "/callback?code=1&state=", status: 404),
        Junk(testDescription: "two states", target: "/callback?code=1&state=s&state=s", status: 404),
        Junk(testDescription: "the state in another case", target: "/callback?code=1&STATE=s", status: 404),
        Junk(testDescription: "an encoded NUL", target: "/callback?code=1&state=s&x=%00", status: 400),
        Junk(
            testDescription: "an address that nobody handed out", target: "/" + String(repeating: "0", count: 32),
            status: 404),
        Junk(
            testDescription: "a long query", target: "/callback?state=s&code=" + String(repeating: "a", count: 8180),
            status: 414),
        Junk(testDescription: "a broken query", target: "/callback?state=s&code=%zz", status: 400),
    ]

    @Test(
        "Everything else is refused, and the redirect is still taken afterwards", .standard(2, 25, 28), arguments: junk)
    func ignores(junk: Junk) async throws {
        let (presenter, announced) = Self.presenter()
        let redirect = try await presenter.openRedirect()
        let answer = await Self.answer(presenter, announced, Self.visit(redirect))
        let origin = try #require(WebAddress(redirect)).origin
        #expect(try await Self.get(origin + junk.target, junk.method, junk.fields).status == junk.status)
        let (came, _) = try await Self.bring("\(redirect)?code=right&state=s", to: presenter, answer)
        #expect(Self.address(came) == "\(redirect)?code=right&state=s")
        await presenter.closeRedirect()
    }

    @Test("An error is handed on, and the page says so in the person's language")
    func failureInFrench() async throws {
        let (presenter, announced) = Self.presenter()
        let redirect = try await presenter.openRedirect()
        let answer = await Self.answer(presenter, announced, Self.visit(redirect))
        let (came, page) = try await Self.bring(
            "\(redirect)?error=access_denied&state=s", ["Accept-Language": "de, en;q=0.3, fr-CH;q=0.9"], to: presenter,
            answer)
        #expect(String(decoding: page.body, as: UTF8.self).contains("Vous n’êtes pas connecté"))
        #expect(Self.address(came) == "\(redirect)?error=access_denied&state=s")
        await presenter.closeRedirect()
    }

    @Test("Cancelling ends the wait and frees the port", .standard(27))
    func cancels() async throws {
        let (presenter, announced) = Self.presenter()
        let redirect = try await presenter.openRedirect()
        let task = Task { try await presenter.answer(Self.visit(redirect)) }
        while announced.withLock({ $0.isEmpty }) { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await #expect(throws: TransportError(.unreachable, wasSent: false)) { try await Self.get(redirect) }
        await presenter.closeRedirect()
    }

    @Test("A taken port is a fault of the configuration that names the port")
    func portTaken() async throws {
        let (first, _) = Self.presenter()
        let port = try #require(WebAddress(try await first.openRedirect())?.port)
        var options = LoopbackPresenter.Options()
        options.port = port
        let (second, _) = Self.presenter(options)
        let error = await #expect(throws: AuthError.self) { try await second.openRedirect() }
        #expect(error?.code == .configuration(.invalid))
        #expect(error?.message.contains("\(port)") == true)
        await first.closeRedirect()
    }

    @Test("A port and a path that are named make the redirect", .standard(26, 29))
    func namedPort() async throws {
        // Between two calls any program may take a port, so several are tried.
        for _ in 0..<10 {
            let (free, _) = Self.presenter()
            var options = LoopbackPresenter.Options()
            options.port = try #require(WebAddress(try await free.openRedirect())?.port)
            options.path = "/there"
            await free.closeRedirect()
            let (named, _) = Self.presenter(options)
            guard let redirect = try? await named.openRedirect() else { continue }
            #expect(redirect == "http://127.0.0.1:\(options.port)/there")
            return await named.closeRedirect()
        }
        Issue.record("No port could be opened twice")
    }

    @Test("Nobody comes back: expired", .standard(27))
    func patience() async throws {
        var options = LoopbackPresenter.Options()
        options.patience = .zero
        let (presenter, _) = Self.presenter(options)
        let redirect = try await presenter.openRedirect()
        let error = await #expect(throws: AuthError.self) { try await presenter.answer(Self.visit(redirect)) }
        #expect(error?.code == .refused(.expired))
        await presenter.closeRedirect()
    }

    @Test("A pasted address of the redirect answers; what is wrong with another is said, and it is asked for again")
    func pastes() async throws {
        let pasted = Locked<[String]>([])
        let told = Locked<[String?]>([])
        let (presenter, _) = Self.presenter(paste: { wrong in
            told.withLock { $0.append(wrong) }
            return Secret(pasted.withLock { $0.isEmpty ? "" : $0.removeFirst() })
        })
        let redirect = try await presenter.openRedirect()
        let rows: [(String, PasteProblem)] = [
            ("https://evil.example/callback?code=1", .elsewhere), (redirect, .incomplete), ("4711", .noAddress),
            ("https://id.example/authorize?state=s", .beginning), ("\(redirect)s?code=1", .elsewhere),
            (redirect + "?code=" + String(repeating: "x", count: 10_000), .tooLong),
        ]
        pasted.withLock { $0 = rows.map(\.0) + ["\(redirect)?code=pasted&state=s"] }
        #expect(Self.address(try await presenter.answer(Self.visit(redirect))) == "\(redirect)?code=pasted&state=s")
        #expect(told.withLock { $0 } == [nil] + rows.map { $0.1.text(redirect: redirect) })
        // The others are with the answers of another form.
        #expect(Set(rows.map(\.1)).union([.fragment, .otherSignIn]) == Set(PasteProblem.allCases))
        await presenter.closeRedirect()
    }

    @Test("The person is told what opens and where before the paste is asked for, and that it waits")
    func tells() {
        let url = "https://id.example:8443/authorize?state=s"
        let opening = BrowserVisit(url: url, didStart: true).text(in: .english)
        let lines = opening.split(separator: "\n").map(String.init)
        #expect(lines[0] == "Opening id.example:8443 in your browser. If nothing opens, go to:")
        #expect(lines[1] == "  \(url)" && lines[2] == "Waiting for the browser (Ctrl-C to stop).")
        #expect(BrowserVisit(url: url, didStart: false).text(in: .french).hasPrefix("Ouvrez cette adresse"))
    }

    @Test("Without a terminal to paste into, the redirect still answers; a person who declines, declines")
    func pasteFails() async throws {
        let (presenter, announced) = Self.presenter(paste: { _ in
            throw AuthError(.configuration(.unsupported), "No terminal.")
        })
        let redirect = try await presenter.openRedirect()
        let answer = await Self.answer(presenter, announced, Self.visit(redirect))
        let (came, _) = try await Self.bring("\(redirect)?code=1&state=s", to: presenter, answer)
        #expect(Self.address(came) == "\(redirect)?code=1&state=s")
        await presenter.closeRedirect()
        let (other, _) = Self.presenter(paste: { _ in throw AuthError(.declined, "The person said no.") })
        let second = try await other.openRedirect()
        guard case .declined = try await other.answer(Self.visit(second)) else {
            Issue.record("Not declined")
            return
        }
        await other.closeRedirect()
    }

    private static func link(_ redirect: String) -> Challenge {
        var challenge = visit(redirect)
        challenge.ask = .openedLink(sentTo: "ada@example.test")
        return challenge
    }

    @Test("A link that was sent may be opened here while the person is asked, who is asked no longer then")
    func opensLink() async throws {
        let noTerminal = AuthError(.configuration(.unsupported), "No terminal.")
        for asked in [ScriptedPresenter(.waits), ScriptedPresenter(.failed(noTerminal))] {
            let (presenter, announced) = Self.presenter(otherwise: asked)
            let redirect = try await presenter.openRedirect()
            async let answer = presenter.answer(Self.link(redirect))
            async let page = Self.arrive("\(redirect)?code=1")
            #expect(Self.address(try await answer) == "\(redirect)?code=1")
            #expect(announced.withLock { $0 }.isEmpty)
            await presenter.closeRedirect()
            #expect(try await page.status == 200)
        }
    }

    @Test("A link that was sent is answered by whom the person tells first, also with no or with Ctrl-C")
    func tellsOfLink() async throws {
        let typed = ScriptedPresenter(answering: { _ in .code(Secret("123456")) })
        let (presenter, _) = Self.presenter(otherwise: typed)
        let redirect = try await presenter.openRedirect()
        guard case .code(let code) = try await presenter.answer(Self.link(redirect)) else {
            throw AuthError(.declined, "No code.")
        }
        #expect(code == Secret("123456"))
        await presenter.closeRedirect()
        let interrupted = ScriptedPresenter(answering: { _ in throw AuthError(.cancelled, "Ctrl-C") })
        let (other, _) = Self.presenter(otherwise: interrupted)
        let second = try await other.openRedirect()
        let error = await #expect(throws: AuthError.self) { try await other.answer(Self.link(second)) }
        #expect(error?.code == .cancelled)
        await other.closeRedirect()
    }

    @Test("Other challenges, other redirects and addresses that are no web addresses are refused")
    func refuses() async throws {
        let (presenter, announced) = Self.presenter()
        let redirect = try await presenter.openRedirect()
        var code = Self.visit(redirect)
        code.ask = .totp
        let refused: [(Challenge, AuthError.ConfigurationReason)] = [
            (code, .unsupported), (Self.visit("http://127.0.0.1:1/callback"), .invalid),
            (Self.visit(redirect, url: "file:///etc/passwd"), .invalid),
            (Self.visit(redirect, url: "--help"), .invalid),
            (Self.visit(redirect, url: "https://id.example/\u{1B}[2J"), .invalid),
        ]
        for (challenge, reason) in refused {
            let error = await #expect(throws: AuthError.self) { try await presenter.answer(challenge) }
            #expect(error?.code == .configuration(reason))
        }
        #expect(announced.withLock { $0.isEmpty })
        await presenter.closeRedirect()
    }
}
