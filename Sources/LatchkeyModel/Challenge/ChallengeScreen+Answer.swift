public import Latchkey

/// What kind of screen it is, and what it answers.
extension ChallengeScreen {
    /// The kind of screen.
    public var kind: Kind {
        switch ask {
        case .code: .code
        case .openedLink: .mail
        case .totp: .totp
        case .backupCode: .backupCode
        case .enrolment: .enrolment
        case .password: .password
        case .newPassword: .newPassword
        case .choose: .choose
        case .fields: .fields
        case .visit: .visit
        case .device: .device
        case .captcha: .captcha
        case .passkey: .passkey
        case .wallet: .wallet
        @unknown default: .unknown
        }
    }

    /// Where the code or mail was sent, as the service says.
    public var sentTo: String? {
        switch ask {
        case .code(_, let address), .openedLink(let address): address
        default: nil
        }
    }

    /// The answer that was typed or chosen; `nil` if it is incomplete, or another part of the app
    /// must give it: a browser, a passkey, a wallet, a captcha.
    public var answer: Answer? {
        switch ask {
        case .code, .totp, .backupCode, .enrolment: code.map(Answer.code)
        case .password, .newPassword: entry.isEmpty ? nil : .password(entry)
        case .choose: choice.map(Answer.choice)
        case .fields(let fields):
            fields.contains { $0.required && (values[$0.name]?.isEmpty ?? true) } ? nil : .fields(values)
        default: nil
        }
    }

    /// Whether the button that answers can be pressed.
    public var isAnswerable: Bool { answer != nil }

    /// The code without the spaces and hyphens that mails and apps put in for reading.
    private var code: Secret? {
        let typed = entry.revealText()
        let isBackup = kind == .backupCode
        // The hyphens of a backup code may belong to it.
        let code = typed.filter { !$0.isWhitespace && (isBackup || $0 != "-") }
        return code.isEmpty ? nil : Secret(code)
    }

    /// Returns the screen's heading, without a full stop.
    public func title(in language: TextLanguage = .system) -> String {
        ModelTexts.table.text("challenge.\(kind.rawValue).title", in: language)
    }

    /// Returns one sentence that says what to do.
    public func instruction(in language: TextLanguage = .system) -> String {
        let place = sentTo.map { address in
            ModelTexts.table.text("challenge.to", in: language, ["address": ModelTexts.cleaned(address)])
        }
        return ModelTexts.table.text("challenge.\(kind.rawValue)", in: language, ["to": place ?? ""])
    }

    /// Returns the words for the button that requests another code or mail, with the seconds until
    /// it can be pressed; `nil` if there is none.
    public func resendText(in language: TextLanguage = .system) -> String? {
        guard let resend else { return nil }
        let key = resend.secondsLeft > 0 ? "resend.later" : "resend"
        return ModelTexts.table.text(key, in: language, ["count": "\(resend.secondsLeft)"])
    }
}
