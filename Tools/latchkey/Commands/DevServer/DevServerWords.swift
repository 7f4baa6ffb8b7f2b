/// The names that the development server's settings have on the command line. The server itself is another program, which
/// knows what they set.
package enum DevServerWords {
    /// Settings of `--gotrue` that are `on` or `off`.
    package static let switches = [
        "autoconfirm", "phone-autoconfirm", "sign-up", "email", "phone", "anonymous", "linking", "web3", "passkeys",
        "sso",
        "single-session", "rotation", "secure-email-change", "current-password", "gateway",
    ]
    /// Settings of `--gotrue` that take a duration.
    package static let durations = ["time-box", "inactivity", "reuse-interval", "resend-gap", "reauthentication"]
    /// Settings of `--gotrue` that take a number.
    package static let numbers = ["mails-per-hour", "messages-per-hour", "anonymous-per-hour", "password-length"]
    /// The other settings of `--gotrue`.
    package static let others = ["tokens", "signing", "secret", "captcha", "providers", "address-field"]
    /// The switches of `--clerk-setting`.
    package static let clerk = [
        "single-session", "session-minter", "rotation", "client-trust", "passwordless", "legal", "restricted",
        "waitlist",
        "sso-only", "setup-mfa", "reset-password", "choose-organization", "allow-list", "email-link",
    ]

    /// The words in one line.
    static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}
