import Latchkey
import LatchkeySystem
import LatchkeyLoopback
import LatchkeyTerminal

/// Questions to the person.
enum Presenters {
    /// Signs in with `request`, as the profile and the options say.
    ///
    /// - Parameter asking: Called before the person is asked anything at the terminal.
    static func signIn(
        _ workplace: Workplace, _ request: SignInRequest, _ options: SignInOptions,
        asking: @escaping @Sendable () -> Void
    ) async throws -> ConversationEnd {
        let (client, provider) = (workplace.client, Composition.provider(of: workplace.profile))
        let unasked = Locked<TerminalQuestion?>(nil)
        let presenter: any ChallengePresenter =
            switch workplace.profile.method {
            case .browser, .link: browser(workplace, unasked)
            // Any person may turn out to sign in only in a browser.
            case _ where workplace.profile.service == .clerk: browser(workplace, unasked, asking)
            default: asker(workplace.invocation, unasked, asking)
            }
        do {
            return try await client.converse(request, with: provider, options: options, asking: presenter)
        } catch {
            guard let question = unasked.withLock({ $0 }) else { throw error }
            throw question.refusal("error.noTerminalDetach", hint: .run(workplace.invocation.again(.detach)))
        }
    }

    /// Adds a way to sign in, in a browser.
    static func link(
        _ workplace: Workplace, _ method: SignInMethod, to account: AccountID?
    ) async throws -> ConversationEnd {
        let unasked = Locked<TerminalQuestion?>(nil)
        do {
            return try await workplace.client.link(method, account: account, asking: browser(workplace, unasked))
        } catch {
            guard let question = unasked.withLock({ $0 }) else { throw error }
            throw question.refusal("error.noTerminal", hint: ToolText("hint.atTerminal"))
        }
    }

    /// Returns a presenter that asks at the terminal, or shows instructions if there is none.
    ///
    /// - Parameter unasked: Takes the question that there is no terminal for.
    private static func asker(
        _ invocation: Invocation, _ unasked: Locked<TerminalQuestion?>, _ asking: @escaping @Sendable () -> Void = {}
    ) -> any ChallengePresenter {
        let asker: any ChallengePresenter =
            hasTerminal
            ? TerminalAsker(invocation: invocation, asking: asking)
            : PlainPresenter(invocation: invocation, unasked: unasked)
        return InputPresenter.answers(invocation)
            ? InputPresenter(invocation: invocation, otherwise: asker, asking: asking) : asker
    }

    /// Asks the person at the terminal what a service asks.
    static func answer(_ challenge: Challenge, _ invocation: Invocation) async throws -> Answer {
        guard !hasTerminal else { return try await TerminalAsker(invocation: invocation).answer(challenge) }
        if case .captcha = challenge.ask { throw captcha(challenge, invocation) }
        throw TerminalQuestion(challenge.ask).refusal("error.noTerminal", hint: way(to: challenge, invocation))
    }

    /// How a challenge is answered without a terminal.
    private static func way(to challenge: Challenge, _ invocation: Invocation) -> ToolText {
        func line(_ option: String) -> String { invocation.shownLine("answer \(challenge.id) \(option)") }
        if case .choose(let choices) = challenge.ask {
            return .run(line("--\(Option.choose.name) \(choices.first?.id.quotedForShell ?? "ID")"))
        }
        if case .fields = challenge.ask { return .run(line("--\(Option.fieldsFromInput.name)")) }
        guard let option = TerminalQuestion(challenge.ask).option else {
            return ToolText("hint.atTerminalOrDecline", ["command": line("--\(Option.decline.name)")])
        }
        return .run(line("--\(option.name)"))
    }

    /// Asks the person at the terminal what the tool itself wants to know.
    ///
    /// - Parameter hint: How it is answered without a terminal, if not by an option of the same command.
    /// - Throws: What ``TerminalQuestion/unasked(_:)`` returns if there is no terminal.
    static func ask(
        _ question: TerminalQuestion, as ask: Ask, _ invocation: Invocation, hint: ToolText? = nil
    ) async throws -> Answer {
        guard hasTerminal else { throw question.unasked(hint) }
        let tool = ProviderBinding(provider: "tool", authority: "", client: "")
        return try await TerminalAsker(invocation: invocation).answer(Challenge(id: "tool", binding: tool, ask: ask))
    }

    /// Asks for one line; `nil` if the person said no.
    ///
    /// - Parameter words: What the terminal shows before it.
    static func line(
        _ question: TerminalQuestion, _ words: String, secret: Bool = true, _ invocation: Invocation,
        hint: ToolText? = nil
    ) async throws -> Secret? {
        let form = Ask.fields([Ask.Field(name: words, secret: secret)])
        guard case .fields(let answers) = try await ask(question, as: form, invocation, hint: hint) else { return nil }
        return answers[words]
    }

    /// Returns the error for a captcha, which a terminal cannot show.
    static func captcha(_ challenge: Challenge, _ invocation: Invocation) -> AuthError {
        AuthError(
            .refused(.captcha), invocation.shown("error.captcha") + ".", provider: challenge.binding.provider)
    }

    /// Asks for a passphrase; `nil` if the person said no.
    static func passphrase(for reason: String) async throws -> Secret? {
        try await TerminalPresenter().passphrase(for: reason)
    }

    /// Asks for a new passphrase; `nil` if the person said no.
    static func newPassphrase(for reason: String, shortest: Int) async throws -> Secret? {
        try await TerminalPresenter().newPassphrase(for: reason, shortest: shortest)
    }

    /// Returns the lines of a QR code, in a terminal's colours; `nil` if it does not fit.
    static func picture(of text: Secret) -> [String]? { TerminalPresenter.picture(of: text.revealText()) }

    /// Returns the redirect address of a detached login. Nothing listens there: the person pastes the answer.
    static func detachedRedirect(_ profile: Profile) -> String {
        var place = profile.redirectPlace
        place.port = place.port ?? usualPort
        return place.description
    }

    /// The port where a redirect address must be known before the tool listens.
    private static let usualPort: UInt16 = 8_423

    /// Where the browser comes back to. A production instance of Clerk takes only the addresses on its list, port and all.
    private static func redirect(_ profile: Profile) -> LoopbackRedirect {
        var place = profile.redirectPlace
        let isSure = [.browser, .link].contains(profile.method)
        if isSure, profile.service == .clerk, profile.clientID.hasPrefix("pk_live_") {
            place.port = place.port ?? usualPort
        }
        return place
    }

    /// Returns the line that says where the browser comes back to, for the list of the instance; `nil` if no service of
    /// this kind has such a list.
    static func redirectNote(_ redirect: String?, _ workplace: Workplace) -> String? {
        guard workplace.profile.service == .clerk, let redirect else { return nil }
        return Console.printable(workplace.invocation.shown("login.redirect", ["address": redirect]))
    }

    /// Opens a browser, or shows its address, and waits for the redirect.
    private static func browser(
        _ workplace: Workplace, _ unasked: Locked<TerminalQuestion?>, _ asking: @escaping @Sendable () -> Void = {}
    ) -> any RedirectReceiving {
        var options = LoopbackPresenter.Options(redirect: redirect(workplace.profile))
        options.appName = appName(workplace.profile)
        options.opensBrowser = !workplace.invocation.arguments.has(.noBrowser)
        options.exposesServiceAddress = workplace.invocation.arguments.has(.exposeAddress)
        // Supabase returns no state, and accepts every address of this machine.
        options.usesRandomPath = workplace.profile.service == .supabase
        options.takesBareRedirects = workplace.profile.service == .clerk
        let paste: LoopbackPresenter.Paste? =
            hasTerminal ? { @Sendable wrong in try await TerminalPresenter().pastedAddress(after: wrong) } : nil
        return LoopbackPresenter(
            options, paste: paste, otherwise: asker(workplace.invocation, unasked, asking),
            announce: announcement(workplace),
            stray: { [invocation = workplace.invocation] kind in
                let advice = StrayAdvice(kind, invocation, canPaste: paste != nil)
                await kind.announce(in: invocation.texts.language, with: advice.line)
            }, context: workplace.invocation.world)
    }

    /// Returns what tells the person where to look, with the address for the instance's list; `nil` for the usual lines.
    private static func announcement(_ workplace: Workplace) -> (@Sendable (BrowserVisit) async -> Void)? {
        guard workplace.profile.service == .clerk else { return nil }
        return { visit in
            let line = redirectNote(visit.redirect, workplace) ?? ""
            await visit.announce(in: workplace.invocation.texts.language, with: line)
        }
    }

    /// Returns the name that the browser's page shows at the end, with the profile unless it is the usual one.
    private static func appName(_ profile: Profile) -> String {
        profile.name == "default" ? "latchkey" : "latchkey (\(profile.name))"
    }

    /// Whether the process has a terminal and is in front of it, even if its output is redirected.
    static var hasTerminal: Bool { TerminalFront.isHere }
}

/// The terminal, with the tool's own answer for challenges that it cannot show.
private struct TerminalAsker: RefusalShowing {
    let invocation: Invocation
    /// Called before anything is asked.
    var asking: @Sendable () -> Void = {}

    func answer(_ challenge: Challenge) async throws -> Answer {
        asking()
        if case .captcha = challenge.ask { throw Presenters.captcha(challenge, invocation) }
        var challenge = challenge
        if let refusal = challenge.refusal {
            try await show(refusal, of: challenge)
            // The refusal says the same in sentences.
            if case .newPassword = challenge.ask { challenge.ask = .newPassword(rules: []) }
        }
        do {
            return try await TerminalPresenter().answer(challenge)
        } catch let error as AuthError where error.code == .configuration(.unsupported) && !Presenters.hasTerminal {
            // The process was put into the background while it asked.
            let question = ["question": invocation.shown(TerminalQuestion(challenge.ask).text)]
            throw invocation.failure(error.code, "error.noTerminal", question)
        }
    }

    func show(_ refusal: AuthError, of challenge: Challenge) async throws {
        guard refusal.code == .refused(.passwordNotAccepted) else {
            return try await TerminalPresenter().show(refusal, of: challenge)
        }
        // What the password lacks is in the sentences, and not in the code alone.
        let report = ErrorReport(refusal, isSignIn: true, invocation.texts)
        let said = report.serviceText?.text(in: invocation.texts.language)
        try await TerminalPresenter().say(["\(report.message).", said].compactMap(\.self))
    }
}
