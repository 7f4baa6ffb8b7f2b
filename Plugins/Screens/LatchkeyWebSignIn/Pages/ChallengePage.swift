import Latchkey
import LatchkeyModel

/// What the service asks, on one page for every kind of challenge.
@MainActor struct ChallengePage {
    private let screen: ChallengeScreen
    private let model: AuthModel
    private let flash: String?
    private let visit: PageVisit
    private let options: WebSignInOptions

    init(
        _ screen: ChallengeScreen, _ model: AuthModel, _ flash: String?, _ visit: PageVisit,
        _ options: WebSignInOptions
    ) {
        (self.screen, self.model, self.flash, self.visit, self.options) = (screen, model, flash, visit, options)
    }

    private var hidden: KeyValuePairs<String, String?> { ["challenge": FormVisit.name(of: screen.id)] }

    func html(_ frame: PageFrame) -> String {
        let fields = fields(frame)
        let notice = NoticeView(
            notice: model.notice, pause: model.pauseText(in: frame.language),
            fields: fields, route: .challenge, presses: presses)
        let isEmpty = flash == "flash.empty"
        let content = """
            \(notice.html(frame))
            \(frame.status(flash.flatMap { isEmpty ? nil : frame.text($0) }))
            <p>\(WebHTML.text(instruction(frame)))</p>
            \(shown(frame))
            \(answerForm(fields, frame))
            \(checkForm(frame))
            \(resendForm(frame))
            \(frame.form(.challenge, with: hidden, frame.button(frame.text("cancel"), do: "cancel", quiet: true)))
            """
        return frame.page(
            screen.title(in: frame.language), state: notice.isEmpty ? nil : frame.text("state.error"),
            here: options.path + "/challenge", content)
    }

    /// A wrong answer is corrected in the field, and another code has its own button below.
    private var presses: Set<ModelNotice.Press> { screen.kind == .code || screen.kind == .mail ? [] : [.tryAgain] }

    private func instruction(_ frame: PageFrame) -> String {
        switch screen.kind {
        case .visit: frame.text("challenge.visit")
        case .passkey, .wallet, .captcha: frame.text("challenge.elsewhere")
        default: screen.instruction(in: frame.language)
        }
    }

    private func complaint(_ frame: PageFrame) -> String? {
        if flash == "flash.empty" { return frame.text("missing.fields") }
        return screen.wasWrong ? frame.text("wrong") : nil
    }

    private func fields(_ frame: PageFrame) -> [FieldView] {
        switch screen.ask {
        case .code, .totp, .enrolment:
            [
                FieldView(
                    name: "code", label: frame.text("code"), autocomplete: "one-time-code", inputMode: "numeric",
                    complaint: complaint(frame))
            ]
        case .backupCode:
            [
                FieldView(
                    name: "code", label: frame.text("backupCode"), autocomplete: "off", inputMode: "text",
                    complaint: complaint(frame))
            ]
        case .password:
            [
                FieldView(
                    name: "password", label: frame.text("password"), type: "password",
                    autocomplete: "current-password", inputMode: "text", complaint: complaint(frame))
            ]
        case .newPassword(let rules): [newPassword(rules, frame)]
        case .fields(let fields):
            fields.map { FormPage.field($0, frame, isMissing: flash == "flash.empty" && $0.required) }
        default: []
        }
    }

    private func newPassword(_ rules: [String], _ frame: PageFrame) -> FieldView {
        let known = options.model.passwordRules
        let weaknesses = rules.compactMap { known.sentence(forWeakness: $0, in: frame.language) }
        let others = rules.filter { known.sentence(forWeakness: $0, in: frame.language) == nil }
        return FieldView(
            name: "password", label: frame.text("newPassword"), type: "password", autocomplete: "new-password",
            inputMode: "text", hints: rules.isEmpty ? known.sentences(in: frame.language) : others,
            complaint: complaint(frame) ?? (weaknesses.isEmpty ? nil : weaknesses.joined(separator: "; ")))
    }

    private func answerForm(_ fields: [FieldView], _ frame: PageFrame) -> String {
        var content = fields.html
        if case .choose(let choices) = screen.ask { content = options(choices, frame) }
        guard !content.isEmpty else { return "" }
        return frame.form(.challenge, with: hidden, "\(content)\n\(frame.button(frame.text("continue"), do: "answer"))")
    }

    private func options(_ choices: [Ask.Option], _ frame: PageFrame) -> String {
        let choices = choices.enumerated().map { index, choice in
            """
            <div class="choice"><input type="radio" name="choice" id="choice-\(index)" \
            value="\(WebHTML.text(choice.id))"\(index == 0 ? " checked" : "")>\
            <label for="choice-\(index)">\(WebHTML.text(choice.label))</label></div>
            """
        }
        return "<fieldset><legend>\(frame.html("choice"))</legend>\(choices.joined())</fieldset>"
    }

    /// What the challenge shows beside its fields: a picture to scan, an address, a code for another device.
    private func shown(_ frame: PageFrame) -> String {
        switch screen.ask {
        case .enrolment(let enrolment):
            return """
                \(QRDrawing(enrolment.address)?.html(title: frame.text("qr")) ?? "")
                <p>\(frame.html("key")) <code id="key">\(WebHTML.text(Self.grouped(enrolment.key)))</code></p>
                """
        case .visit(let url, _):
            guard let address = WebAddress(url), address.isSecure else {
                return frame.status(frame.text("visit.insecure"))
            }
            return """
                <p><a class="button" rel="noreferrer" href="\(WebHTML.text(url))">\(frame.html("visit.go"))</a></p>
                """
        case .device(let device):
            return """
                \(QRDrawing(device.complete ?? device.at)?.html(title: frame.text("qr")) ?? "")
                <dl><dt>\(frame.html("device.at"))</dt><dd>\(WebHTML.text(device.at))</dd>
                <dt>\(frame.html("device.code"))</dt><dd><code id="user-code">\(WebHTML.text(device.userCode))</code></dd></dl>
                """
        default: return ""
        }
    }

    /// For what is finished elsewhere: the page does not reload by itself, which would lose a reader's place.
    private func checkForm(_ frame: PageFrame) -> String {
        switch screen.kind {
        case .mail, .device: frame.form(.challenge, with: hidden, frame.button(frame.text("check"), do: "check"))
        default: ""
        }
    }

    private func resendForm(_ frame: PageFrame) -> String {
        guard let text = screen.resendText(in: frame.language) else { return "" }
        guard screen.resend?.secondsLeft ?? 0 == 0 else { return "<p class=\"hint\">\(WebHTML.text(text))</p>" }
        return frame.form(.challenge, with: hidden, frame.button(text, do: "resend", quiet: true))
    }

    private static func grouped(_ key: String) -> String {
        var groups: [Substring] = []
        var rest = key[...]
        while !rest.isEmpty {
            groups.append(rest.prefix(4))
            rest = rest.dropFirst(4)
        }
        return groups.joined(separator: " ")
    }
}
