import Latchkey

/// What the tool asks a person, and what it says where there is no terminal to ask at.
struct TerminalQuestion: Hashable, Sendable {
    /// What is asked for, by the key of its text. Every kind has a row in the table of the tests.
    enum Kind: String, CaseIterable, Sendable {
        case account = "question.account"
        case password = "question.password"
        case newPassword = "question.newPassword"
        case currentPassword = "question.currentPassword"
        case code = "question.code"
        case codeSentTo = "question.codeSentTo"
        case appCode = "question.appCode"
        case backupCode = "question.backupCode"
        case mailLink = "question.mailLink"
        case arrival = "question.arrival"
        case choice = "question.choice"
        case form = "question.form"
        case signature = "question.signature"
        case clientSecret = "question.clientSecret"
        case passphrase = "question.passphrase"
        case newPassphrase = "question.newPassphrase"
    }

    let kind: Kind
    /// The values of the text's placeholders.
    private var values: [String: String] = [:]

    /// Creates a question of the tool's own.
    init(_ kind: Kind) { self.kind = kind }

    /// Creates the question of a service.
    init(_ ask: Ask) {
        switch ask {
        case .code(_, let address?): (kind, values) = (.codeSentTo, ["address": address])
        case .totp, .enrolment: kind = .appCode
        case .backupCode: kind = .backupCode
        case .password: kind = .password
        case .newPassword: kind = .newPassword
        case .visit, .openedLink: kind = .arrival
        case .choose(let options):
            (kind, values) = (.choice, ["choices": options.map(\.id).joined(separator: ", ")])
        case .fields: kind = .form
        case .passkey, .wallet: kind = .signature
        default: kind = .code
        }
    }

    /// Creates the question for a code that is sent to `address` later.
    init(codeSentTo address: String) { (kind, values) = (.codeSentTo, ["address": address]) }

    /// What is asked for, as it stands in a sentence.
    var text: ToolText { ToolText(kind.rawValue, values) }

    /// The option that gives the answer by standard input; `nil` if there is none.
    var option: Option? {
        switch kind {
        case .code, .codeSentTo, .appCode, .backupCode: .codeFromInput
        case .password, .newPassword: .passwordFromInput
        case .currentPassword: .currentPasswordFromInput
        case .mailLink, .arrival: .redirectFromInput
        case .passphrase, .newPassphrase: .passphraseFromInput
        case .account, .choice, .form, .signature, .clientSecret: nil
        }
    }

    /// How the command that asks is given the answer.
    private var way: ToolText {
        if kind == .account { return ToolText("hint.who") }
        guard let option else { return ToolText("hint.atTerminal") }
        return ToolText("hint.questionInput", ["option": "--\(option.name)"])
    }

    /// What a command ends with that cannot ask: what it would have asked, and how it is given the answer.
    ///
    /// - Parameter hint: How, if not by an option of the same command.
    func unasked(_ hint: ToolText? = nil) -> any Error {
        let hint = hint ?? way
        switch kind {
        case .account, .password, .newPassword, .newPassphrase:
            return UsageError("error.noTerminal", parts: ["question": text], hint: hint)
        default: return refusal("error.noTerminal", hint: hint)
        }
    }

    /// The same for the question of a service, whose answer comes in another process.
    func refusal(_ key: String, hint: ToolText?) -> ToolError {
        ToolError(.configuration(.unsupported), key, parts: ["question": text], hint: hint)
    }
}
