import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Testing

/// What the browser's page learns of the end.
@Suite("Receivers of redirects that are told the end") struct RedirectConcludingTests {
    /// A browser that notes what is called, in order.
    private final class Noting: RedirectConcluding {
        let calls = Locked<[String]>([])

        func openRedirect() async throws -> String {
            calls.withLock { $0.append("open") }
            return "http://127.0.0.1:1/cb"
        }

        func closeRedirect() async { calls.withLock { $0.append("close") } }

        func answer(_ challenge: Challenge) async throws -> Answer {
            calls.withLock { $0.append("answer") }
            return .redirected(Secret("http://127.0.0.1:1/cb?code=1"))
        }

        func conclude(_ end: Result<ConversationEnd, AuthError>) async {
            let word =
                switch end {
                case .success(.signedIn(let session)): session.label ?? ""
                case .success(.continuesElsewhere): "elsewhere"
                case .failure(let error): error.code.name
                }
            calls.withLock { $0.append(word) }
        }
    }

    private func visit(_ bench: Bench) -> ScriptedProvider.TurnStep {
        let ask = Ask.visit(url: "https://id.example.com/authorize", redirect: "http://127.0.0.1:1/cb")
        return .turn(.asked(Challenge(id: "challenge-of-sixteen", binding: bench.service.rules.binding, ask: ask)))
    }

    @Test(
        "the end is told once, after the exchange and before the address is closed, whatever it is",
        arguments: [
            (ScriptedProvider.TurnStep.granted(to: "alice"), "alice"),
            (.failed(AuthError(.refused(.denied), "no")), "refused.denied"),
            (.failed(TransportError(.unreachable, wasSent: false)), "offline.signIn"),
            (.failed(CancellationError()), "cancelled"),
        ])
    func once(_ step: ScriptedProvider.TurnStep, _ word: String) async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(turns: visit(bench), step)
        let browser = Noting()
        let error = await failure { try await auth.signIn(with: "scripted", .browser(), asking: browser) }
        #expect(browser.calls.withLock { $0 } == ["open", "answer", word, "close"])
        #expect(error?.code.name == (word == "alice" ? nil : word))
    }

    @Test("a sign-in that is cancelled while the service works is told as cancelled")
    func cancelled() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(turns: visit(bench), .held(Latch(), then: .granted(to: "alice")))
        let browser = Noting()
        let signIn = Task { try await auth.signIn(with: "scripted", .browser(), asking: browser) as AuthSession }
        try await bench.until { !bench.service.answers.isEmpty }
        signIn.cancel()
        _ = await signIn.result
        #expect(browser.calls.withLock { $0 } == ["open", "answer", "cancelled", "close"])
    }

    @Test("nothing is told of a sign-in whose redirect is the app's own, or that is not offered")
    func notTold() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(turns: visit(bench), .granted(to: "alice"))
        let browser = Noting()
        var options = SignInOptions()
        options.redirect = "http://127.0.0.1:1/cb"
        _ = try await auth.signIn(with: "scripted", .browser(), options: options, asking: browser)
        _ = await failure { try await auth.signIn(with: "nobody", .browser(), asking: browser) }
        #expect(browser.calls.withLock { $0 } == ["answer"])
    }

    @Test("the scripted browser keeps the end")
    func scripted() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(turns: visit(bench), .granted(to: "alice"))
        let browser = ScriptedBrowser(redirect: "http://127.0.0.1:1/cb") { _ in "http://127.0.0.1:1/cb?code=1" }
        _ = try await auth.signIn(with: "scripted", .browser(), asking: browser)
        #expect(try browser.ends.map { try $0.get().session?.label } == ["alice"])
    }

    private func failure(_ work: () async throws -> AuthSession) async -> AuthError? {
        do {
            _ = try await work()
            return nil
        } catch {
            return error as? AuthError
        }
    }
}
