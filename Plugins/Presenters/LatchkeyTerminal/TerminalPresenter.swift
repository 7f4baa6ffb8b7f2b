public import Latchkey

/// Asks on the process's terminal, even if standard input and output are redirected.
///
/// Passwords and pasted addresses are hidden. Ctrl-C throws `cancelled`, and so does a terminal that is closed. Ctrl-D on
/// an empty line answers ``/Latchkey/Answer/declined``. A process in the background (`tool &`) has no terminal. Colours are
/// left out if `NO_COLOR` is set, and everything but lines if `TERM` is `dumb`. After an empty line the presenter asks again; the third one declines. The
/// terminal is restored in every case, even if a signal ends or stops the process. Text from a service is shown
/// without control characters.
public struct TerminalPresenter: ChallengePresenter {
    private let device: any TerminalDevice
    let texts: TerminalTexts

    /// Creates a presenter on the process's terminal.
    public init(language: TerminalLanguage = .system) { self.init(device: SystemTerminal(), language: language) }

    package init(device: any TerminalDevice, language: TerminalLanguage) {
        self.device = device
        texts = TerminalTexts(language: language)
    }

    /// Asks the person to answer the challenge.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `cancelled` for Ctrl-C; `configuration(.unsupported)` if there is no
    ///   terminal, and for captchas, passkeys and wallets; `CancellationError`.
    public func answer(_ challenge: Challenge) async throws -> Answer {
        do {
            return try await ask(challenge)
        } catch is Declined {
            return .declined
        } catch let failure as TerminalFailure {
            throw Self.translated(failure)
        }
    }

    /// Asks for the address at which a browser arrived, with hidden input. For presenters that open a browser.
    ///
    /// - Parameter wrong: What is wrong with what was pasted before, to be shown first: one sentence.
    /// - Throws: The errors of ``answer(_:)``, and ``/Latchkey/AuthError`` `declined`. If the terminal is closed,
    ///   `configuration(.unsupported)`: the browser may still come by itself.
    public func pastedAddress(after wrong: String? = nil) async throws -> Secret {
        let first = wrong.map { CleanText.clean($0, limit: 500) + ".\n" } ?? ""
        do {
            return try await line(first + texts.arrivedInstead, hidden: true)
        } catch is Declined {
            throw AuthError(.declined, "The person declined.")
        } catch let failure as TerminalFailure {
            throw Self.translated(failure == .lost ? .none : failure)
        }
    }

    /// Asks for a password before a sign-in that begins with one.
    ///
    /// - Throws: The errors of ``answer(_:)``, and ``/Latchkey/AuthError`` `declined`.
    public func password() async throws -> Secret { try await secret(texts.password, hidden: true) }

    /// Asks for a code that the app had sent, when no challenge asks for it.
    ///
    /// - Throws: The errors of ``answer(_:)``, and ``/Latchkey/AuthError`` `declined`.
    public func code(sentTo address: String? = nil) async throws -> Secret {
        try await secret(texts.code(to: address.map { CleanText.clean($0) }, again: false))
    }

    private func secret(_ prompt: String, hidden: Bool = false) async throws -> Secret {
        guard let secret = try await declining({ try await line(prompt, hidden: hidden) }) else {
            throw AuthError(.declined, "The person declined.")
        }
        return secret
    }

    /// Returns the input of `ask`; `nil` if the person said no.
    func declining(_ ask: () async throws -> Secret?) async throws -> Secret? {
        do {
            return try await ask()
        } catch is Declined {
            return nil
        } catch let failure as TerminalFailure {
            throw Self.translated(failure)
        }
    }

    func write(_ text: String) async throws { try await device.write(text) }

    private func ask(_ challenge: Challenge) async throws -> Answer {
        switch challenge.ask {
        case .code(_, let address): try await code(address, isResent: challenge.resendAfter != nil)
        case .totp: .code(try await line(texts.totp))
        case .backupCode: .code(try await line(texts.backupCode))
        case .enrolment(let enrolment): .code(try await enrol(enrolment))
        case .password: .password(try await line(texts.password, hidden: true))
        case .newPassword(let rules): .password(try await newPassword(rules))
        case .choose(let options): .choice(try await choice(options))
        case .fields(let fields): .fields(try await values(fields))
        case .openedLink(let address): try await link(address, isResent: challenge.resendAfter != nil)
        case .visit(let url, _): try await visit("\(texts.openThis)  \(CleanText.clean(url, limit: 8192))\n")
        case .device(let device): try await show(device)
        case .captcha, .passkey, .wallet:
            throw AuthError(.configuration(.unsupported), "A terminal cannot answer this kind of challenge.")
        }
    }

    /// Returns the lines of a QR code for `text`, with a terminal's colours where they are wanted.
    ///
    /// - Returns: `nil` if the text is too long for a QR code, or the terminal is too narrow or knows no pictures.
    package static func picture(of text: String) -> [String]? {
        let terminal = SystemTerminal()
        guard let picture = QRPicture(text) else { return nil }
        let columns = (try? terminal.size().columns) ?? 0
        return columns == 0 || picture.columns <= columns ? picture.lines(terminal.look) : nil
    }

    private static func translated(_ failure: TerminalFailure) -> AuthError {
        switch failure {
        case .none:
            AuthError(
                .configuration(.unsupported),
                "The process has no terminal to ask on; a sign-in that asks nothing here is needed.")
        case .lost: AuthError(.cancelled, "The terminal was closed before the answer came.")
        case .busy: AuthError(.busy, "The terminal is busy with other questions.")
        }
    }
}

extension TerminalPresenter {
    /// Writes lines, without what would control the terminal.
    ///
    /// - Throws: The errors of ``answer(_:)``.
    package func say(_ lines: [String]) async throws {
        do {
            try await device.write(lines.map { CleanText.clean($0, limit: 1_000) + "\n" }.joined())
        } catch let failure as TerminalFailure {
            throw Self.translated(failure)
        }
    }
}

extension TerminalPresenter: RefusalShowing {
    /// Writes what was wrong with the last answer.
    ///
    /// - Throws: The errors of ``answer(_:)``.
    public func show(_ refusal: AuthError, of challenge: Challenge) async throws {
        do {
            try await device.write(refusal.text(in: texts.language) + ".\n")
        } catch let failure as TerminalFailure {
            throw Self.translated(failure)
        }
    }
}

/// The person said no.
private struct Declined: Error {}

// MARK: - Questions

extension TerminalPresenter {
    static let tries = 3

    /// Reads one line that is not empty.
    func line(_ prompt: String, hidden: Bool = false) async throws -> Secret {
        for _ in 0..<Self.tries {
            let bytes = try await read(prompt, hidden: hidden)
            if let bytes, !bytes.isEmpty { return Secret(bytes) }
        }
        throw Declined()
    }

    /// Reads one line; `nil` if it was too long.
    private func read(_ prompt: String, hidden: Bool) async throws -> [UInt8]? {
        switch try await device.readLine(prompt, hidden: hidden) {
        case .line(let bytes): return bytes
        case .tooLong:
            try await device.write(texts.tooLong)
            return nil
        case .end: throw Declined()
        case .interrupted: throw AuthError(.cancelled, "The person interrupted the question.")
        }
    }

    private func code(_ address: String?, isResent: Bool) async throws -> Answer {
        let entered = try await line(texts.code(to: address.map { CleanText.clean($0) }, again: isResent))
        return isResent && Self.isAgain(entered) ? .resend : .code(entered)
    }

    /// Whether the person wants another code or mail.
    private static func isAgain(_ entered: Secret) -> Bool {
        ["again", "encore"].contains(entered.revealText().lowercased())
    }

    /// Shows the key, as a picture too if it fits, and asks for the first code.
    private func enrol(_ enrolment: Ask.Enrolment) async throws -> Secret {
        let picture = try picture(of: enrolment.address)
        try await device.write(
            texts.enrolment(key: CleanText.clean(enrolment.key, limit: 256), isScanned: picture != nil)
                + (picture ?? ""))
        return try await line(texts.totp)
    }

    /// Returns a QR code that fits the terminal; `nil` if it does not fit.
    private func picture(of text: String) throws -> String? {
        let size = try device.size()
        guard let picture = QRPicture(text), picture.columns <= size.columns,
            size.rows == 0 || picture.rows < size.rows, let lines = picture.lines(device.look)
        else { return nil }
        return lines.joined(separator: "\n") + "\n"
    }

    private func newPassword(_ rules: [String], label: String? = nil) async throws -> Secret {
        if !rules.isEmpty {
            let list = rules.prefix(50).map { "  - \(CleanText.clean($0))\n" }.joined()
            try await device.write(texts.rules + list)
        }
        for _ in 0..<Self.tries {
            let first = try await line(label ?? texts.newPassword, hidden: true)
            if first == (try await line(texts.repeated, hidden: true)) { return first }
            try await device.write(texts.different)
        }
        throw Declined()
    }

    private func choice(_ options: [Ask.Option]) async throws -> String {
        let list = options.prefix(200).enumerated().map { "  \($0 + 1)  \(CleanText.clean($1.label))\n" }
        try await device.write(list.joined())
        for _ in 0..<Self.tries {
            let entered = try await line(texts.choice).revealText()
            if let number = Int(entered), (1...max(1, list.count)).contains(number), number <= options.count {
                return options[number - 1].id
            }
        }
        throw Declined()
    }

    private func values(_ fields: [Ask.Field]) async throws -> [String: Secret] {
        var values: [String: Secret] = [:]
        for field in fields.prefix(100) {
            let prompt = texts.field(CleanText.clean(field.name), isRequired: field.required)
            if let rules = field.rules {
                values[field.name] = try await newPassword(rules, label: prompt)
                continue
            }
            if field.required {
                values[field.name] = try await line(prompt, hidden: field.secret)
            } else if let bytes = try await read(prompt, hidden: field.secret), !bytes.isEmpty {
                values[field.name] = Secret(bytes)
            }
        }
        return values
    }

    /// Asks for the address at which the link arrived, or for the code in the same mail.
    private func link(_ address: String?, isResent: Bool) async throws -> Answer {
        try await device.write(texts.opened(to: address.map { CleanText.clean($0) }, again: isResent))
        let entered = try await line(texts.linkArrived, hidden: true)
        if isResent, Self.isAgain(entered) { return .resend }
        return entered.revealText().contains("://") ? .redirected(entered) : .code(entered)
    }

    private func visit(_ introduction: String) async throws -> Answer {
        try await device.write(introduction)
        return .redirected(try await line(texts.arrived, hidden: true))
    }

    /// Shows the code and its address, as a picture too if it fits, until the engine cancels.
    private func show(_ code: Ask.Device) async throws -> Answer {
        var text = texts.device(
            at: CleanText.clean(code.at, limit: 2048), code: CleanText.clean(code.userCode, limit: 64))
        if let picture = try picture(of: code.complete ?? code.at) { text += texts.scan + picture }
        try await device.write(text + texts.waiting)
        let (never, end) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
        end.finish()
        throw CancellationError()
    }
}
