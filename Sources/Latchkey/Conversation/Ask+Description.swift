extension Ask: CustomStringConvertible, CustomReflectable {
    /// The kind of challenge, without secrets: an address is reduced to its origin, and codes are left out.
    public var description: String {
        switch self {
        case .code(let channel, _): "code over \(channel.rawValue)"
        case .openedLink: "opened link"
        case .totp: "code of an authenticator app"
        case .backupCode: "backup code"
        case .enrolment: "enrolment of an authenticator app"
        case .password: "password"
        case .newPassword: "new password"
        case .choose(let options): "choice of \(options.count)"
        case .fields(let fields): "\(fields.count) fields"
        case .visit(let url, let redirect): "visit to \(Self.origin(url)), ending at \(Self.origin(redirect))"
        case .device(let device): device.description
        case .captcha: "captcha"
        case .passkey: "signature of a passkey"
        case .wallet: "signature of a wallet"
        }
    }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }

    fileprivate static func origin(_ url: String) -> String { WebAddress(url)?.origin ?? "?" }
}

extension Ask.Enrolment: CustomStringConvertible, CustomReflectable {
    /// Shows neither the key nor the address that contains it.
    public var description: String { "enrolment <redacted>" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Ask.Device: CustomStringConvertible, CustomReflectable {
    /// The address where the code is entered, without the code: the first person to enter it
    /// decides who signs in.
    public var description: String { "device code <redacted> at \(Ask.origin(at))" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
