import Latchkey
import LatchkeyCurl
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeyLoopback

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("The page that the browser comes back to", .timeLimit(.minutes(1)))
struct EndPageTests {
    private typealias Base = LoopbackPresenterTests

    static let session = AuthSession(
        id: AuthSession.ID("1"), account: AccountID("canary-account"), label: "ada@example.test")

    private static func text(_ page: TransportResponse) -> String { String(decoding: page.body, as: UTF8.self) }

    /// A sign-in led by the engine, whose browser has come back and waits; the service goes on when `latch` opens.
    private struct Running {
        let presenter: LoopbackPresenter
        let redirect: String
        let signIn: Task<AuthSession, any Error>
        let page: Task<TransportResponse, any Error>
        let service: ScriptedProvider
    }

    /// Starts a sign-in that ends with `step`.
    ///
    /// The script names the redirect beforehand, and so its port, which another program may take meanwhile.
    private static func start(_ step: ScriptedProvider.TurnStep) async throws -> Running {
        for _ in 0..<20 {
            let (probe, _) = Base.presenter()
            var options = LoopbackPresenter.Options()
            options.port = try #require(WebAddress(try await probe.openRedirect())?.port)
            options.appName = "Notes"
            await probe.closeRedirect()
            let (presenter, _) = Base.presenter(options)
            let redirect = "http://127.0.0.1:\(options.port)/callback"
            let service = ScriptedProvider()
            let ask = Ask.visit(url: "https://id.example/authorize?state=s-canary", redirect: redirect)
            let challenge = Challenge(id: "challenge-of-sixteen", binding: service.rules.binding, ask: ask)
            service.script(turns: .turn(.asked(challenge)), step)
            let auth = try AuthClient.Builder().provider(service).transport(ScriptedTransport()).build()
            let signIn = Task { try await auth.signIn(with: "scripted", .browser(), asking: presenter) as AuthSession }
            let hasEnded = Locked(false)
            Task {
                _ = await signIn.result
                hasEnded.withLock { $0 = true }
            }
            while presenter.startAddress == nil, !hasEnded.withLock({ $0 }) { await Task.yield() }
            guard presenter.startAddress != nil else { continue }
            let page = Task { try await Base.arrive("\(redirect)?code=c-canary&state=s-canary") }
            return Running(presenter: presenter, redirect: redirect, signIn: signIn, page: page, service: service)
        }
        throw AuthError(.busy, "Each of twenty ports was taken by another program.")
    }

    @Test("says success only after the service has exchanged the code, with the app's name and who signed in")
    func success() async throws {
        let latch = Latch()
        let running = try await Self.start(.held(latch, then: .granted(to: "ada@example.test")))
        let isAnswered = Locked(false)
        Task {
            _ = await running.page.result
            isAnswered.withLock { $0 = true }
        }
        while running.service.answers.isEmpty { await Task.yield() }
        #expect(!isAnswered.withLock { $0 })
        latch.open()
        #expect(try await running.signIn.value.label == "ada@example.test")
        let text = Self.text(try await running.page.value)
        #expect(text.contains("<title>You are signed in – Notes</title>"))
        #expect(text.contains("You use Notes as <strong><bdi>ada@example.test</bdi></strong> now."))
        #expect(!text.contains("canary"))
    }

    @Test(
        "says the failure in its sentence and what to do, and nothing of what the service wrote",
        arguments: [
            (AuthError.Code.refused(.denied), "was declined", "begin again from Notes"),
            (.offline(.unreachable), "Signing in needs a connection", "Try again later"),
            (.untrusted(.nonce), "cannot be trusted", "Somebody may have interfered"),
            (.configuration(.clientRefused), "does not accept this client", "people who set up Notes"),
            (.store(.full), "No space is left", "needs repair"),
        ])
    func failure(_ code: AuthError.Code, _ sentence: String, _ next: String) async throws {
        let running = try await Self.start(.failed(AuthError(code, "message-canary", serviceCode: "service-canary")))
        await #expect(throws: AuthError.self) { try await running.signIn.value }
        let text = Self.text(try await running.page.value)
        #expect(text.contains("You are not signed in") && !text.contains("You are signed in"))
        #expect(text.contains(sentence) && text.contains(next) && !text.contains("canary"))
    }

    @Test("says that the sign-in was stopped, if the person stops it while the service works")
    func stopped() async throws {
        let running = try await Self.start(.held(Latch(), then: .granted(to: "ada")))
        while running.service.answers.isEmpty { await Task.yield() }
        running.signIn.cancel()
        await #expect(throws: AuthError.self) { try await running.signIn.value }
        #expect(Self.text(try await running.page.value).contains("was stopped in Notes"))
    }

    /// A presenter whose clock stands still, and whose browser has come back.
    private static func held(
        at clock: ManualClock
    ) async throws -> (LoopbackPresenter, redirect: String, page: Task<TransportResponse, any Error>) {
        var browser = Browser(environment: [:])
        browser.commands = []
        let presenter = LoopbackPresenter(
            .init(), paste: nil, otherwise: ScriptedPresenter(.answer(.code(Secret("1")))), announce: { _ in },
            context: .testing(clock: clock), browser: browser)
        let redirect = try await presenter.openRedirect()
        let page = Task { try await Base.arrive("\(redirect)?code=c-canary&state=s") }
        _ = try await presenter.answer(Base.visit(redirect))
        return (presenter, redirect, page)
    }

    /// Moves the clock until the page is there.
    private static func wait(
        for page: Task<TransportResponse, any Error>, _ clock: ManualClock
    ) async throws -> TransportResponse {
        let isThere = Locked(false)
        Task {
            _ = await page.result
            isThere.withLock { $0 = true }
        }
        while !isThere.withLock({ $0 }) {
            clock.advance(by: .milliseconds(1))
            await Task.yield()
        }
        return try await page.value
    }

    @Test("says that the sign-in goes on if that takes long, and asks again by itself until it has ended")
    func slow() async throws {
        let clock = ManualClock()
        let (presenter, redirect, page) = try await Self.held(at: clock)
        let waiting = try await Self.wait(for: page, clock)
        let refresh = try #require(waiting.fields["Refresh"])
        let place = try #require(refresh.wholeMatch(of: /1;url=(\/[0-9a-f]{32})/)?.1)
        #expect(
            Self.text(waiting).contains("Finishing the sign-in") && Self.text(waiting).contains("href=\"\(place)\""))
        #expect(!Self.text(waiting).contains("canary") && !Self.text(waiting).contains("<script"))
        let origin = try #require(WebAddress(redirect)).origin
        #expect(try await Base.get("\(origin)\(place)", "POST").status == 405)
        #expect(try await Base.get("\(origin)\(place)", "GET", ["Sec-Fetch-Dest": "iframe"]).status == 403)
        #expect(try await Base.get("\(origin)\(place)0").status == 404)
        let end = Task { try await Base.get("\(origin)\(place)") }
        await presenter.conclude(.success(.signedIn(Self.session)))
        let last = try await end.value
        #expect(Self.text(last).contains("ada@example.test") && last.fields["Refresh"] == nil)
        await presenter.closeRedirect()
    }

    @Test("the sign-in returns at once when a browser is gone, and after two seconds when one was told to come back")
    func gone() async throws {
        let clock = ManualClock()
        let (first, _, page) = try await Self.held(at: clock)
        page.cancel()
        _ = await page.result
        await first.conclude(Base.end)
        await first.closeRedirect()
        let (second, _, waiting) = try await Self.held(at: clock)
        _ = try await Self.wait(for: waiting, clock)
        await second.conclude(Base.end)
        let begun = clock.now()
        let isClosed = Locked(false)
        Task {
            await second.closeRedirect()
            isClosed.withLock { $0 = true }
        }
        while !isClosed.withLock({ $0 }) {
            clock.advance(by: .milliseconds(10))
            await Task.yield()
        }
        #expect(clock.now() - begun >= .seconds(2))
    }

    @Test("is the same when it is loaded again, and tells nothing to who does not know the whole address")
    func again() async throws {
        let (presenter, redirect, page) = try await Self.held(at: ManualClock())
        await presenter.conclude(.success(.signedIn(Self.session)))
        let first = try await page.value
        #expect(try await Base.get("\(redirect)?code=c-canary&state=s").body == first.body)
        for (query, status) in [
            ("code=other&state=s", 410), ("code=c-canary&state=t", 404), ("code=c-canary", 404), ("", 404),
        ] {
            let other = try await Base.get("\(redirect)?\(query)")
            #expect(other.status == status && !Self.text(other).contains("ada@example.test"))
        }
        // What is told later changes nothing.
        await presenter.conclude(Base.end)
        #expect(try await Base.get("\(redirect)?code=c-canary&state=s").body == first.body)
        await presenter.closeRedirect()
    }

    @Test("sends the person back to the app when that asks something else, or closes without a word")
    func goesOn() async throws {
        let (asking, redirect, page) = try await Self.held(at: ManualClock())
        var code = Base.visit(redirect)
        code.ask = .totp
        _ = try await asking.answer(code)
        #expect(Self.text(try await page.value).contains("Go on in the app"))
        // Nobody is signed in by that page, whatever follows.
        await asking.conclude(.success(.signedIn(Self.session)))
        await asking.closeRedirect()
        let (silent, _, other) = try await Self.held(at: ManualClock())
        await silent.closeRedirect()
        let text = Self.text(try await other.value)
        #expect(text.contains("Go on in the app") && !text.contains("signed in"))
    }

    @Test("is not waited for when the address was pasted")
    func pasted() async throws {
        let clock = ManualClock()
        let pasted = Locked("")
        let presenter = LoopbackPresenter(
            .init(), paste: { _ in Secret(pasted.withLock { $0 }) }, otherwise: nil, announce: { _ in },
            context: .testing(clock: clock), browser: Browser(environment: [:]))
        let redirect = try await presenter.openRedirect()
        pasted.withLock { $0 = "\(redirect)?code=pasted&state=s" }
        _ = try await presenter.answer(Base.visit(redirect))
        await presenter.conclude(.success(.signedIn(Self.session)))
        await presenter.closeRedirect()
        #expect(clock.sleepers == 0)
    }
}
