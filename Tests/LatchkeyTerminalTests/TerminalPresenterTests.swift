import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeyTerminal

/// A terminal whose person has made up their mind.
final class ScriptedTerminal: TerminalDevice {
    let shown = Locked("")
    private let lines: Locked<[TerminalLine]>
    private let columns: Int

    init(_ lines: [TerminalLine], columns: Int = 100) {
        self.lines = Locked(lines)
        self.columns = columns
    }

    convenience init(typing texts: String...) { self.init(texts.map { .line(Array($0.utf8)) }) }

    func size() -> (columns: Int, rows: Int) { (columns, 0) }
    func write(_ text: String) { shown.withLock { $0 += text } }

    func readLine(_ prompt: String, hidden: Bool) throws -> TerminalLine {
        shown.withLock { $0 += prompt }
        return lines.withLock { $0.isEmpty ? .end : $0.removeFirst() }
    }

    /// Whether every line was wanted.
    var isDone: Bool { lines.withLock { $0.isEmpty } }
}

@Suite("Terminal presenter")
struct TerminalPresenterTests {
    static func answer(
        _ ask: Ask, _ terminal: ScriptedTerminal, in language: TerminalLanguage = .english, resends: Bool = false
    ) async throws -> Answer {
        var challenge = SystemTerminalTests.challenge(ask)
        if resends { challenge.resendAfter = .seconds(30) }
        return try await TerminalPresenter(device: terminal, language: language).answer(challenge)
    }

    @Test("An empty or too long line is asked for again, and the third declines")
    func empty() async throws {
        let patient = ScriptedTerminal([.line([]), .tooLong, .line([0x31])])
        guard case .code(let code) = try await Self.answer(.backupCode, patient) else {
            throw AuthError(.declined, "No code.")
        }
        #expect(code == Secret("1"))
        let tired = ScriptedTerminal([.line([]), .line([]), .line([]), .line([0x31])])
        guard case .declined = try await Self.answer(.totp, tired) else {
            throw AuthError(.declined, "Not declined.")
        }
    }

    @Test("For a link that was sent, an address or the code beside it is taken, and neither shows")
    func link() async throws {
        let ask = Ask.openedLink(sentTo: "ada@example.test")
        let pasted = ScriptedTerminal(typing: "notes://callback?code=1")
        guard case .redirected(let address) = try await Self.answer(ask, pasted) else {
            throw AuthError(.declined, "No address.")
        }
        #expect(address == Secret("notes://callback?code=1"))
        #expect(pasted.shown.withLock { $0 }.hasPrefix("A link was sent to ada@example.test.\nOpen it"))
        guard case .code(let code) = try await Self.answer(ask, ScriptedTerminal(typing: "123456")) else {
            throw AuthError(.declined, "No code.")
        }
        #expect(code == Secret("123456"))
    }

    @Test("A choice is made by its number", arguments: [("2", "b"), ("0", nil), ("3", nil), ("b", nil), ("-1", nil)])
    func choice(typed: String, id: String?) async throws {
        let ask = Ask.choose([.init(id: "a", label: "One"), .init(id: "b", label: "Two\u{1B}]0;x\u{7}")])
        let terminal = ScriptedTerminal(typing: typed)
        let answer = try await Self.answer(ask, terminal)
        switch answer {
        case .choice(let chosen): #expect(chosen == id)
        case .declined: #expect(id == nil)
        default: Issue.record("Another answer")
        }
        #expect(terminal.shown.withLock { $0 }.contains("  2  Two"))
        #expect(!terminal.shown.withLock { $0 }.contains("\u{1B}"))
    }

    @Test("Nobody can be asked to choose from nothing")
    func noChoice() async throws {
        guard case .declined = try await Self.answer(.choose([]), ScriptedTerminal(typing: "1", "1", "1")) else {
            throw AuthError(.declined, "Not declined.")
        }
    }

    @Test("Fields come under their names; an optional one may stay empty")
    func fields() async throws {
        let terminal = ScriptedTerminal(typing: "Ada", "", "", "s")
        let ask = Ask.fields([
            .init(name: "first"), .init(name: "middle", required: false), .init(name: "pin", secret: true),
        ])
        guard case .fields(let values) = try await Self.answer(ask, terminal) else {
            throw AuthError(.declined, "No fields.")
        }
        #expect(values == ["first": Secret("Ada"), "pin": Secret("s")])
        #expect(terminal.isDone)
    }

    @Test("A field that is a new password is typed twice the same, and its rules show")
    func newPasswordField() async throws {
        let terminal = ScriptedTerminal(typing: "Ada", "one", "other", "right", "right")
        let ask = Ask.fields([.init(name: "name"), .newPassword("password", rules: ["8 or more"])])
        guard case .fields(let values) = try await Self.answer(ask, terminal) else {
            throw AuthError(.declined, "No fields.")
        }
        #expect(values == ["name": Secret("Ada"), "password": Secret("right")])
        #expect(terminal.shown.withLock { $0 }.contains("  - 8 or more\n"))
    }

    @Test("An authenticator app is set up by the key, or by a picture where that fits", arguments: [100, 20])
    func enrolment(columns: Int) async throws {
        let terminal = ScriptedTerminal([.line(Array("123456".utf8))], columns: columns)
        let address = "otpauth://totp/notes:ada?secret=JBSWY3DPEHPK3PXP&issuer=notes"
        let ask = Ask.enrolment(.init(key: "JBSWY3DPEHPK3PXP\u{1B}[2J", address: address))
        guard case .code(let code) = try await Self.answer(ask, terminal) else {
            throw AuthError(.declined, "No code.")
        }
        let shown = terminal.shown.withLock { $0 }
        #expect(code == Secret("123456") && shown.contains("JBSWY3DPEHPK3PXP"))
        #expect(shown.contains("Or scan:") == (columns == 100) && !shown.contains("\u{1B}[2J"))
        #expect("\(ask)" == "enrolment of an authenticator app")
    }

    @Test("A new password is typed twice the same, and its rules show")
    func newPassword() async throws {
        let terminal = ScriptedTerminal(typing: "one", "other", "right", "right")
        guard case .password(let secret) = try await Self.answer(.newPassword(rules: ["8 or more"]), terminal) else {
            throw AuthError(.declined, "No password.")
        }
        #expect(secret == Secret("right"))
        #expect(terminal.shown.withLock { $0 }.contains("  - 8 or more\n"))
        #expect(terminal.shown.withLock { $0 }.contains("not the same"))
    }

    @Test("A password or a code can be asked for before a service asks; who says no declines")
    func unasked() async throws {
        let terminal = ScriptedTerminal(typing: "", "s3cret", "again")
        let presenter = TerminalPresenter(device: terminal, language: .english)
        #expect(try await presenter.password() == Secret("s3cret"))
        // Nobody could send another one.
        #expect(try await presenter.code(sentTo: "a@b.example\u{1B}[2J") == Secret("again"))
        #expect(terminal.shown.withLock { $0 }.hasSuffix("Code sent to a@b.example\u{FFFD}[2J: "))
        let error = await #expect(throws: AuthError.self) { try await presenter.password() }
        #expect(error?.code == .declined)
        let interrupted = TerminalPresenter(device: ScriptedTerminal([.interrupted]), language: .english)
        let cancelled = await #expect(throws: AuthError.self) { try await interrupted.code() }
        #expect(cancelled?.code == .cancelled)
    }

    @Test("\"again\" asks for another code only where there is one")
    func resend() async throws {
        let ask = Ask.code(over: .mail, sentTo: "a@b.example\r\u{1B}[2J")
        let terminal = ScriptedTerminal(typing: "encore")
        guard case .resend = try await Self.answer(ask, terminal, in: .french, resends: true) else {
            throw AuthError(.declined, "Not resent.")
        }
        #expect(terminal.shown.withLock { $0 }.contains("Code envoyé à a@b.example\u{FFFD}\u{FFFD}[2J (ou"))
        guard case .code(Secret("again")) = try await Self.answer(ask, ScriptedTerminal(typing: "again")) else {
            throw AuthError(.declined, "Taken for a wish.")
        }
        let link = ScriptedTerminal(typing: "again")
        guard case .resend = try await Self.answer(.openedLink(sentTo: nil), link, resends: true) else {
            throw AuthError(.declined, "Not resent.")
        }
        #expect(link.shown.withLock { $0 }.contains("Type \"again\" for another.\n"))
    }

    @Test("What was wrong with the last answer is said in a sentence of its own")
    func refusal() async throws {
        for (language, words) in [
            (TextLanguage.english, "What was entered is wrong.\n"), (.french, "La saisie est erronée.\n"),
        ] {
            let terminal = ScriptedTerminal([])
            let presenter = TerminalPresenter(device: terminal, language: language)
            try await presenter.show(
                AuthError(.refused(.wrongInput), "secret details"), of: SystemTerminalTests.challenge(.totp))
            #expect(terminal.shown.withLock { $0 }.hasSuffix(words), "\(terminal.shown.withLock { $0 })")
        }
    }

    @Test(
        "What a terminal cannot show is refused",
        arguments: [
            Ask.captcha(siteKey: "k"), .passkey(request: .object([:])), .wallet(message: "m"),
        ])
    func unsupported(ask: Ask) async {
        let error = await #expect(throws: AuthError.self) { try await Self.answer(ask, ScriptedTerminal([])) }
        #expect(error?.code == .configuration(.unsupported))
    }

    @Test(
        "No control character, escape, break or direction mark of a service reaches the terminal",
        arguments: [
            "\u{1B}[31m", "\u{1B}]52;c;eA==\u{7}", "\u{9B}2J", "a\rb", "a\nb", "a\tb", "\u{8}", "\0", "\u{7F}",
            "\u{85}",
            "\u{202E}gpj", "\u{2066}x", "\u{200B}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{E0041}", "\u{E000}",
            "\u{AD}",
        ])
    func cleans(text: String) {
        let clean = CleanText.clean(text)
        #expect(clean.contains("\u{FFFD}"))
        #expect(clean.unicodeScalars.count == text.unicodeScalars.count)
        #expect(clean.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    }

    @Test("Plain text of any script stays, and is cut at its limit")
    func keeps() {
        for text in ["Zoë & Œuvre", "日本語", "مرحبا", "https://id.example/?a=1&b=%20", "👍"] {
            #expect(CleanText.clean(text) == text)
        }
        #expect(CleanText.clean("abcdef", limit: 3) == "abc…")
    }

    @Test(
        "The language is that of the first variable that is set",
        arguments: [
            (["LANG": "fr_FR.UTF-8"], TerminalLanguage.french), (["LANG": "fr"], .french), ([:], .english),
            (["LANG": "fr_FR", "LC_ALL": "C"], .english), (["LC_MESSAGES": "fr_CA", "LANG": "en_US"], .french),
            (["LC_ALL": "", "LANG": "fr_BE@euro"], .french), (["LANG": "fry_NL"], .english),
        ])
    func language(environment: [String: String], expected: TerminalLanguage) {
        #expect(TerminalLanguage(environment: environment) == expected)
    }
}
