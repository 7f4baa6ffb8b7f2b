import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyModel

/// What the form says while the person types, and what it sends.
@MainActor @Suite("The form") struct FormTests {
    private func form(
        _ purpose: ModelPurpose = .signIn, _ change: (inout ModelOptions) -> Void = { _ in }
    ) -> SignInForm {
        var options = ModelOptions()
        change(&options)
        let methods = FormMethod.offered(by: ["scripted": .scripted()], options)
        var form = SignInForm(methods: methods, options)
        form.purpose = purpose
        form.method = methods.first { $0.kind == .password }
        return form
    }

    @Test(
        "a password is sent exactly as typed, with the spaces at its ends; an address loses those that keyboards add",
        .need("N20"))
    func trimming() throws {
        var form = form()
        form.identifier = "  alice@example.com \n"
        form.setPassword("  spaces belong to it  ")
        guard case .signIn(.password(let identifier, let password))? = form.request else { throw ModelBench.Stuck() }
        #expect(identifier == "alice@example.com")
        #expect(password.revealText() == "  spaces belong to it  ")
        form.setPassword("   ")
        #expect(form.isComplete)
        form.setPassword("")
        #expect(form.missing == [.password])
        form.identifier = "   "
        #expect(form.missing == [.password, .identifier])
        #expect(form.request == nil)
    }

    @Test("as long as no way was chosen, what was typed says which one it is, and a choice stands whatever is typed")
    func unchosen() throws {
        let methods = FormMethod.offered(by: ["scripted": .scripted()], ModelOptions())
        var form = SignInForm(methods: methods)
        #expect(form.method?.kind == .passkey)
        form.identifier = "ada@example.test"
        #expect(form.method?.kind == .password && form.missing == [.password])
        form.setPassword("correct horse")
        guard case .signIn(.password)? = form.request else { throw ModelBench.Stuck() }
        form.clear()
        #expect(form.method?.kind == .passkey)
        form.domain = "example.test"
        #expect(form.method?.kind == .enterprise)
        form.method = methods.first { $0.kind == .code }
        #expect(form.method?.kind == .code)
        form.setPassword("x")
        #expect(form.method?.kind == .code)
        var onlyCodes = SignInForm(methods: methods.filter { $0.kind == .code || $0.kind == .passkey })
        onlyCodes.identifier = "ada@example.test"
        #expect(onlyCodes.method?.kind == .code)
        // What none of them takes changes nothing.
        onlyCodes.setPassword("x")
        #expect(onlyCodes.method?.kind == .passkey)
    }

    @Test(
        "an address is checked as it is typed, and what looks odd is a hint that refuses nothing", .need("N20"),
        arguments: [
            ("", nil), ("   ", nil), ("a", AddressHint.noAt), ("alice", .noAt), ("@example.com", .noName),
            ("alice@", .noDomain), ("alice@example", .noDomain), ("alice@example.", .stray),
            ("alice@example..com", .stray), ("alice@example,com", .noDomain), ("alice@.com", .stray),
            ("alice@x.example,com", .stray), ("al ice@example.com", .space), ("a@b@example.com", .severalAts),
            ("alice@example.com", nil), (" alice@example.com ", nil), ("álîce+tag@bücher.example", nil),
            ("\"odd\"@[192.0.2.1]", nil),
        ])
    func addresses(_ typed: String, _ hint: AddressHint?) {
        var form = form()
        form.identifier = typed
        form.setPassword("x")
        #expect(form.addressHint == hint)
        #expect(form.isComplete == !SignInForm.trimmed(typed).isEmpty)
        form = self.form { $0.identifierKind = .any }
        form.identifier = typed
        #expect(form.addressHint == nil)
    }

    @Test(
        "a new password is held against the service's rules, by characters as people count them, and bytes",
        arguments: [
            ("", [PasswordRules.Rule]()), ("short", [.shortest, .uppercase, .digit, .symbol]),
            ("long enough", [.uppercase, .digit]), ("Long enough 1", []), ("éééééééé", [.uppercase, .digit, .symbol]),
            ("ABCDEFG1!", [.lowercase]), ("👩‍👩‍👧‍👦aA1", [.shortest, .longest]),
        ])
    func rules(_ typed: String, _ broken: [PasswordRules.Rule]) {
        let rules = PasswordRules(shortest: 8, longest: 20, required: [.lowercase, .uppercase, .digit, .symbol])
        var form = form(.signUp) { $0.passwordRules = rules }
        form.identifier = "alice@example.com"
        form.setPassword(typed)
        #expect(form.brokenRules == broken)
        // The service has the last word.
        #expect(form.isComplete == !typed.isEmpty)
        #expect(form.hints(in: .french).count == broken.count)
        // A password that exists is not judged.
        form.purpose = .signIn
        #expect(form.brokenRules.isEmpty)
    }

    @Test("the password shows only while the person wants it, and clear and wipe hide it again", .need("N20"))
    func showing() {
        var form = form()
        form.setPassword("secret")
        #expect(form.shownPassword == nil)
        form.isPasswordShown = true
        #expect(form.shownPassword == "secret")
        form.wipe()
        #expect(form.shownPassword == nil)
        #expect(form.password.isEmpty)
        form.identifier = "alice"
        form.isPasswordShown = true
        form.clear()
        #expect(form.identifier.isEmpty)
        #expect(!form.isPasswordShown)
    }

    @Test("caps lock is hinted at only where a hidden password is typed", .need("N20"))
    func capsLock() {
        var form = form()
        form.isCapsLockOn = true
        #expect(form.hints(in: .english) == ["Caps lock is on"])
        form.isPasswordShown = true
        #expect(form.hints(in: .english).isEmpty)
        form.isPasswordShown = false
        form.method = form.methods.first { $0.kind == .code }
        #expect(form.hints(in: .english).isEmpty)
    }

    @Test("neither the form nor the model prints what was typed")
    func printing() throws {
        let bench = try ModelBench()
        bench.fillIn()
        bench.model.form.isPasswordShown = true
        bench.model.form.set("number", "hidden value")
        var dumped = ""
        dump(bench.model.form, to: &dumped)
        for text in ["\(bench.model.form)", String(reflecting: bench.model.form), dumped] {
            #expect(!text.contains("correct horse"))
            #expect(!text.contains("hidden value"))
        }
    }

    @Test("the form offers what the providers have and the app wants, and nothing that nobody types", .need("N22"))
    func methods() {
        let all = FormMethod.offered(by: ["scripted": .scripted()], ModelOptions())
        #expect(
            all.map(\.kind) == [
                .passkey, .password, .code, .link, .browser, .enterprise, .device, .custom, .anonymous,
            ])
        #expect(Set(all.map(\.id)).count == all.count)
        var options = ModelOptions()
        options.methods = [.browser, .code, .wallet, .idToken]
        options.connections = ["google", "apple"]
        options.channels = [.mail, .sms]
        options.chains = ["solana"]
        let some = FormMethod.offered(by: ["scripted": .scripted()], options)
        #expect(
            some.map { $0.label(in: .english) } == [
                "Send me a code", "Send a code to my phone", "Continue with google", "Continue with apple",
                "Sign in with a solana wallet",
            ])
        options.providers = ["another"]
        #expect(FormMethod.offered(by: ["scripted": .scripted()], options).isEmpty)
    }

    @Test("each method and purpose sends its request, and none without its inputs")
    func requests() {
        for method in form(.signIn, { $0.chains = ["solana"] }).methods {
            var form = form()
            form.method = method
            #expect((form.request == nil) == !method.inputs.isEmpty, "\(method.id)")
            form.identifier = "alice@example.com"
            form.domain = "example.com"
            form.setPassword("correct horse")
            form.set("number", "4711")
            guard case .signIn(let sent)? = form.request else {
                Issue.record("\(method.id) sends nothing")
                continue
            }
            #expect(sent.kind == method.kind)
        }
        var form = form(.recover)
        #expect(form.request == nil)
        form.identifier = "alice@example.com"
        guard case .recover("alice@example.com")? = form.request else {
            Issue.record("no recovery")
            return
        }
    }

    @Test("a sign-up sends the service's further fields by their names, and waits for those that are required")
    func signUp() throws {
        var form = form(.signUp) { options in
            options.signUpFields = [Ask.Field(name: "username"), Ask.Field(name: "nickname", required: false)]
            options.signUpAsksPassword = false
        }
        form.identifier = "alice@example.com"
        #expect(form.missing == [.fields])
        form.set("username", "alice")
        guard case .signUp(let sent)? = form.request else { throw ModelBench.Stuck() }
        #expect(sent.fields["username"]?.string == "alice")
        #expect(sent.fields["nickname"] == nil)
        #expect(sent.password == nil)
    }

    @Test("only what a provider can do is offered: no sign-up, recovery or linking without its capability")
    func purposes() async throws {
        var rules = ProviderRules.scripted()
        rules.capabilities = [.signUp, .linking]
        let bench = try ModelBench(rules: rules)
        await bench.model.start()
        #expect(bench.model.purposes == [.signIn, .signUp])
        #expect(bench.model.show(.recover) == .notNow)
        bench.fillIn()
        await bench.model.submit()
        #expect(bench.model.purposes == [.signIn, .signUp, .link])
    }
}
