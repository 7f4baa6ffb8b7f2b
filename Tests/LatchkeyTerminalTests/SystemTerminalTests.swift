import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeyTerminal

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a handler saw. Unsafe is right: written before the handler is in place and by it alone, read as whole words.
private enum Caught {
    nonisolated(unsafe) static var device: Int32 = -1
    nonisolated(unsafe) static var echo: Int32 = -1
}

@Suite("Terminal presenter on a pseudo-terminal", .serialized)
struct SystemTerminalTests {
    static func challenge(_ ask: Ask) -> Challenge {
        Challenge(id: "1", binding: ProviderBinding(provider: ProviderID("p"), authority: "a", client: "c"), ask: ask)
    }

    static func presenter(_ terminal: PseudoTerminal) -> TerminalPresenter {
        TerminalPresenter(device: SystemTerminal(path: terminal.path), language: .english)
    }

    @Test("A password does not show, and the mode comes back")
    func hidden() async throws {
        let terminal = try #require(PseudoTerminal())
        async let answer = Self.presenter(terminal).answer(Self.challenge(.password))
        #expect(await terminal.shows("Password: "))
        #expect(!terminal.echoes)
        terminal.type("hunter2\n")
        guard case .password(let secret) = try await answer else { throw AuthError(.declined, "No password.") }
        #expect(secret.revealText() == "hunter2")
        #expect(await terminal.shows("\r\n"))
        #expect(!terminal.text.contains("hunter"))
        #expect(terminal.echoes)
    }

    @Test("A code shows, and can be corrected")
    func edited() async throws {
        let terminal = try #require(PseudoTerminal())
        async let answer = Self.presenter(terminal).answer(Self.challenge(.totp))
        #expect(await terminal.shows("app: "))
        terminal.type("99\u{15}12é\u{7F}3\u{1B}[D4x\u{7F}\r")
        guard case .code(let secret) = try await answer else { throw AuthError(.declined, "No code.") }
        #expect(secret.revealText() == "1234")
        #expect(await terminal.shows("4"))
    }

    @Test("Ctrl-C cancels, Ctrl-D declines, and both give the mode back")
    func keys() async throws {
        let terminal = try #require(PseudoTerminal())
        async let cancelled = Self.presenter(terminal).answer(Self.challenge(.password))
        #expect(await terminal.shows("Password: "))
        terminal.type("half\u{3}")
        do {
            _ = try await cancelled
            Issue.record("An answer came")
        } catch {
            #expect((error as? AuthError)?.code == .cancelled)
        }
        #expect(terminal.echoes)
        async let declined = Self.presenter(terminal).answer(Self.challenge(.totp))
        #expect(await terminal.shows("app: "))
        terminal.type("\u{4}")
        guard case .declined = try await declined else { throw AuthError(.declined, "Not declined.") }
        #expect(terminal.echoes)
    }

    @Test("A terminal that is closed declines nothing: the question was not answered")
    func closed() async throws {
        for ask in [Ask.password, .totp, .fields([.init(name: "Name", secret: false)])] {
            let terminal = try #require(PseudoTerminal())
            let answer = Task { try await Self.presenter(terminal).answer(Self.challenge(ask)) }
            #expect(await terminal.shows(": "))
            terminal.hangUp()
            let error = await #expect(throws: AuthError.self) { _ = try await answer.value }
            #expect(error?.code == .cancelled)
        }
        // A browser may still come without it.
        let terminal = try #require(PseudoTerminal())
        let pasted = Task { try await Self.presenter(terminal).pastedAddress() }
        #expect(await terminal.shows(": "))
        terminal.hangUp()
        let error = await #expect(throws: AuthError.self) { _ = try await pasted.value }
        #expect(error?.code == .configuration(.unsupported))
    }

    @Test("Cancelling the task ends the question at once, and the mode comes back")
    func cancelled() async throws {
        let terminal = try #require(PseudoTerminal())
        let presenter = Self.presenter(terminal)
        let task = Task { try await presenter.answer(Self.challenge(.password)) }
        #expect(await terminal.shows("Password: "))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(terminal.echoes)
    }

    @Test("A signal finds the earlier mode, and a process that survives it goes on asking unseen")
    func signalled() async throws {
        let terminal = try #require(PseudoTerminal())
        Caught.device = terminal.device
        Caught.echo = -1
        let before = signal(SIGTERM) { _ in
            var mode = termios()
            tcgetattr(Caught.device, &mode)
            Caught.echo = mode.c_lflag & tcflag_t(ECHO) == 0 ? 0 : 1
        }
        defer { signal(SIGTERM, before) }
        async let answer = Self.presenter(terminal).answer(Self.challenge(.password))
        #expect(await terminal.shows("Password: "))
        kill(getpid(), SIGTERM)
        // A thread that the system may let wait handles it.
        for _ in 0..<12_000 where Caught.echo < 0 || terminal.echoes { try await Task.sleep(for: .milliseconds(5)) }
        #expect(Caught.echo == 1)
        #expect(!terminal.echoes)
        terminal.type("still\n")
        guard case .password(Secret("still")) = try await answer else { throw AuthError(.declined, "No password.") }
        #expect(terminal.echoes)
    }

    @Test("A line longer than a terminal's own limit arrives whole")
    func long() async throws {
        let terminal = try #require(PseudoTerminal())
        let url = "http://127.0.0.1:1/callback?code=" + String(repeating: "c", count: 20_000)
        let presenter = Self.presenter(terminal)
        let visit = Ask.visit(url: "https://id.example/a", redirect: "http://127.0.0.1:1/callback")
        let task = Task { try await presenter.answer(Self.challenge(visit)) }
        #expect(await terminal.shows("hidden): "))
        #expect(terminal.text.contains("https://id.example/a\r\n"))
        _ = await DetachedThread.run { terminal.type(url + "\n") }
        guard case .redirected(let address) = try await task.value else { throw AuthError(.declined, "No address.") }
        #expect(address.revealText() == url)
        #expect(!terminal.text.contains("ccc"))
    }

    @Test("A device code shows with its picture, and waits until it is cancelled")
    func device() async throws {
        let terminal = try #require(PseudoTerminal())
        let presenter = Self.presenter(terminal)
        let device = Ask.Device(userCode: "ABCD-EFGH", at: "https://id.example/device")
        let task = Task { try await presenter.answer(Self.challenge(.device(device))) }
        #expect(await terminal.shows("Waiting"))
        #expect(terminal.text.contains("ABCD-EFGH"))
        #expect(terminal.text.contains("█"))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Without a terminal the refusal says so", arguments: ["/nonexistent/tty", "/dev/null"])
    func none(path: String) async throws {
        let presenter = TerminalPresenter(device: SystemTerminal(path: path), language: .english)
        for ask in [Ask.password, .device(.init(userCode: "A", at: "https://id.example"))] {
            let error = await #expect(throws: AuthError.self) { try await presenter.answer(Self.challenge(ask)) }
            #expect(error?.code == .configuration(.unsupported))
            #expect(error?.message.contains("no terminal") == true)
        }
    }
}
