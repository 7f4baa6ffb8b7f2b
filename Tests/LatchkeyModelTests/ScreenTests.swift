import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Observation
import Proofs
import TaskSettling
import Testing

@testable import LatchkeyModel

/// Challenges as screens, and the texts of all screens.
@MainActor @Suite("Screens of the model") struct ScreenTests {
    static let asks: [(Ask, ChallengeScreen.Kind)] = [
        (.code(over: .mail, sentTo: "a@example.com"), .code), (.openedLink(sentTo: nil), .mail), (.totp, .totp),
        (.backupCode, .backupCode),
        (.enrolment(Ask.Enrolment(key: "JBSWY3DP", address: "otpauth://totp/x?secret=JBSWY3DP")), .enrolment),
        (.password, .password), (.newPassword(rules: ["8 characters"]), .newPassword),
        (.choose([Ask.Option(id: "a", label: "A")]), .choose), (.fields([Ask.Field(name: "name")]), .fields),
        (.visit(url: "https://id.example.com/in", redirect: "app:/back"), .visit),
        (.device(Ask.Device(userCode: "ABCD", at: "https://id.example.com/device")), .device),
        (.captcha(siteKey: "site"), .captcha), (.passkey(request: .object([:])), .passkey),
        (.wallet(message: "sign me"), .wallet),
    ]

    private func screen(_ ask: Ask) throws -> ChallengeScreen {
        let bench = try ModelBench()
        return ChallengeScreen(bench.challenge(ask), at: bench.clock.now())
    }

    @Test(
        "each challenge has a screen with texts of its own in every language, and none names a provider", .need("N21"))
    func texts() throws {
        var seen = Set<ChallengeScreen.Kind>()
        for (ask, kind) in Self.asks {
            let screen = try screen(ask)
            #expect(screen.kind == kind)
            seen.insert(kind)
            for language in TextLanguage.allCases {
                let texts = [screen.title(in: language), screen.instruction(in: language)]
                for text in texts {
                    #expect(!text.contains("challenge."), "\(kind) \(language)")
                    #expect(!text.contains("{"))
                    for name in ["scripted", "Supabase", "Clerk", "Cognito", "OAuth"] { #expect(!text.contains(name)) }
                }
            }
        }
        #expect(seen == Set(ChallengeScreen.Kind.allCases).subtracting([.unknown]))
    }

    @Test("a screen answers what was entered for it, and nothing while it is empty or another part of the app answers")
    func answers() throws {
        for (ask, kind) in Self.asks {
            var screen = try screen(ask)
            #expect(!screen.isAnswerable, "\(kind)")
            screen.setEntry("12-34 56")
            screen.set("name", "Alice")
            screen.choose("b")
            screen.choose("a")
            switch (kind, screen.answer) {
            case (.code, .code(let code)?), (.totp, .code(let code)?), (.enrolment, .code(let code)?):
                #expect(code.revealText() == "123456")
            case (.backupCode, .code(let code)?): #expect(code.revealText() == "12-3456")
            case (.password, .password(let entry)?), (.newPassword, .password(let entry)?):
                #expect(entry.revealText() == "12-34 56")
            case (.choose, .choice("a")?), (.fields, .fields?): break
            case (.mail, nil), (.visit, nil), (.device, nil), (.captcha, nil), (.passkey, nil), (.wallet, nil): break
            default: Issue.record("\(kind) answers \(String(describing: screen.answer))")
            }
            screen.wipe()
            #expect(!screen.isAnswerable)
        }
    }

    @Test("a screen prints neither what was typed nor the key of an authenticator app, and cleans what it shows")
    func printing() throws {
        for (ask, _) in Self.asks {
            var screen = try screen(ask)
            screen.setEntry("typed text")
            screen.set("name", "typed text")
            var dumped = ""
            dump(screen, to: &dumped)
            for text in ["\(screen)", dumped] {
                #expect(!text.contains("typed text"))
                #expect(!text.contains("JBSWY3DP"))
                #expect(!text.contains("ABCD"))
            }
        }
        let garbled = try screen(.code(over: .mail, sentTo: "a\u{1B}[2J@example.com"))
        #expect(garbled.instruction(in: .english) == "Enter the code that was sent to a[2J@example.com")
    }

    @Test("a code is sent again only after the service's pause, which is counted down second by second")
    func resend() async throws {
        let (bench, model) = try await ModelBench().started()
        let asked = bench.challenge(.code(over: .mail, sentTo: nil), resendAfter: .seconds(3))
        bench.service.script(turns: .turn(.asked(asked)), .turn(.asked(asked)))
        bench.fillIn()
        await model.submit()
        #expect(model.stage.challenge?.resendText(in: .english) == "Send again in 3 s")
        #expect(await model.resend() == .notNow)
        try await bench.advance { model.stage.challenge?.resend?.secondsLeft == 1 }
        #expect(await model.resend() == .notNow)
        try await bench.advance { model.stage.challenge?.resend?.secondsLeft == 0 }
        #expect(model.stage.challenge?.resendText(in: .french) == "Envoyer de nouveau")
        #expect(await model.resend() == .done)
        #expect(model.stage.challenge?.resend?.secondsLeft == 3)
        guard case .resend? = bench.service.answers.last else { throw ModelBench.Stuck() }
        #expect(bench.service.answers.count == 1)
    }

    @Test("after a 429 the wait is counted down, nothing is sent meanwhile, and the form comes back with its password")
    func countdown() async throws {
        let (bench, model) = try await ModelBench().started()
        bench.service.script(turns: .failed(AuthError(.rateLimited, "slower", retryAfter: .milliseconds(2_500))))
        bench.fillIn()
        _ = await model.submit()
        #expect(model.stage.phase == .formPause)
        var shown: [String?] = [model.pauseText]
        #expect(await model.submit() == .notNow)
        for _ in 0..<3 {
            let before = model.pauseText
            // Nothing else sleeps, so that each second is seen.
            try await bench.until { bench.clock.sleepers == 1 }
            bench.clock.advance(by: .seconds(1))
            try await bench.until { model.pauseText != before }
            shown.append(model.pauseText)
        }
        #expect(shown == ["Try again in 3 s", "Try again in 2 s", "Try again in 1 s", nil])
        #expect(model.stage.phase == .form)
        #expect(model.notice == nil)
        #expect(await model.submit() == .done)
        #expect(bench.service.beginCount == 2)
    }

    @Test("a device is asked about in the service's interval, through a lost answer, until it has approved")
    func device() async throws {
        let (bench, model) = try await ModelBench().started()
        let asked = bench.challenge(.device(Ask.Device(userCode: "ABCD", at: "https://id.example.com/device")))
        bench.service.script(
            turns: .turn(.asked(asked)), .turn(.asked(asked)), .failed(TransportError(.timedOut, wasSent: true)),
            .granted(to: "alice"))
        let began = bench.clock.now()
        _ = await model.signIn(.device, with: "scripted")
        try await bench.advance { model.stage.phase == .succeeded }
        #expect(bench.service.answers.count == 3)
        #expect(bench.clock.now() - began >= .seconds(15))
        #expect(model.state == .signedIn)
    }

    @Test("a device that is cancelled is not asked about any more")
    func cancelledDevice() async throws {
        let (bench, model) = try await ModelBench().started()
        let asked = bench.challenge(.device(Ask.Device(userCode: "ABCD", at: "https://id.example.com/device")))
        bench.service.script(turns: .turn(.asked(asked)))
        _ = await model.signIn(.device, with: "scripted")
        await model.cancel()
        try await bench.until { bench.service.answers.count == 1 }
        for _ in 0..<5 {
            bench.clock.advance(by: .seconds(5))
            await settleTasks()
        }
        #expect(bench.service.answers.count == 1)
        #expect(model.stage.phase == .form)
    }

    @Test("a screen that observes is told of a change, without a UI framework", .need("R3"))
    func observation() async throws {
        let bench = try ModelBench()
        let (state, stage) = (Latch(), Latch())
        withObservationTracking {
            _ = bench.model.state
        } onChange: {
            state.open()
        }
        withObservationTracking {
            _ = bench.model.stage
        } onChange: {
            stage.open()
        }
        await bench.model.start()
        #expect(state.isOpen)
        #expect(!stage.isOpen)
        await bench.model.signIn(.anonymous, with: "scripted")
        #expect(stage.isOpen)
    }

    @Test("no text lacks a language, and every name that screens show has its text", .need("B8"))
    func gaps() {
        #expect(ModelTexts.table.gaps == [])
        let named: [String] =
            ModelActivity.allCases.map { "loading.\($0.rawValue)" }
            + ModelPurpose.allCases.map { "success.\($0.rawValue)" }
            + ChallengeScreen.Kind.allCases.flatMap { ["challenge.\($0.rawValue)", "challenge.\($0.rawValue).title"] }
            + AddressHint.allCases.map { "address.\($0.rawValue)" }
            + PasswordRules.Rule.allCases.map { "password.\($0.rawValue)" }
            + ModelNotice.Press.allCases.map { "press.\($0.rawValue)" }
        #expect(Set(named).isSubset(of: ModelTexts.table.keys))
    }

    @Test(
        "every error has a sentence, a guidance and a button, in every language; none shows a key", .need("N17", "B5"))
    func notices() {
        let codes: [AuthError.Code] =
            AuthError.SignInRequiredReason.allCases.map { .signInRequired($0) }
            + AuthError.OfflineReason.allCases.map { .offline($0) }
            + AuthError.UnlockUnavailableReason.allCases.map { .unlockUnavailable($0) }
            + AuthError.RefusedReason.allCases.map { .refused($0) } + AuthError.StoreReason.allCases.map { .store($0) }
            + AuthError.ConfigurationReason.allCases.map { .configuration($0) }
            + AuthError.UntrustedReason.allCases.map { .untrusted($0) }
            + [.serviceTrouble, .rateLimited, .busy, .locked, .declined, .cancelled]
        for code in codes {
            let notice = ModelNotice(AuthError(code, "for logs only"))
            #expect(!notice.presses.isEmpty)
            #expect(Set(notice.presses).count == notice.presses.count)
            for language in TextLanguage.allCases {
                let guidance = notice.guidance(in: language)
                #expect(guidance != ModelTexts.table.text("guidance.other", in: language), "\(code.name)")
                #expect(!guidance.contains("guidance."))
                #expect(!notice.text(in: language).contains("for logs only"))
                for press in notice.presses { #expect(!ModelNotice.text(press, in: language).contains("press.")) }
            }
        }
        // Each failure of an unlock has its own guidance.
        let unlocks = AuthError.UnlockUnavailableReason.allCases.map {
            ModelNotice(AuthError(.unlockUnavailable($0), "")).guidance(in: .english)
        }
        #expect(Set(unlocks).count == unlocks.count)
    }
}
