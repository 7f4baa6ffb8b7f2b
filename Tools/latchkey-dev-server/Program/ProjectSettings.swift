import Latchkey
import LatchkeyCommand
import LatchkeyDevServer

/// The settings of the Supabase project, by the names that `--gotrue` has for them (``DevServerWords``).
struct ProjectSettings {
    let line: DevServerLine

    /// The settings that are on or off, and what they set.
    private var switches: [(String, @Sendable (Bool, inout DevServer.Supabase) -> Void)] {
        [
            ("autoconfirm", { $1.autoconfirms = $0 }), ("phone-autoconfirm", { $1.autoconfirmsPhone = $0 }),
            ("sign-up", { $1.disablesSignUp = !$0 }), ("email", { $1.allowsEmail = $0 }),
            ("phone", { $1.allowsPhone = $0 }), ("anonymous", { $1.allowsAnonymous = $0 }),
            ("linking", { $1.allowsLinking = $0 }), ("web3", { $1.allowsWeb3 = $0 }),
            ("passkeys", { $1.allowsPasskeys = $0 }), ("sso", { $1.allowsSSO = $0 }),
            ("single-session", { $1.allowsOneSession = $0 }), ("rotation", { $1.rotation = $0 }),
            ("secure-email-change", { $1.needsBothAddresses = $0 }),
            ("current-password", { $1.needsCurrentPassword = $0 }),
            ("gateway", { $1.publishableKey = $0 ? DevServer.Supabase().publishableKey : nil }),
        ]
    }

    private var durations: [(String, @Sendable (Double, inout DevServer.Supabase) -> Void)] {
        [
            ("time-box", { $1.timeBox = $0 }), ("inactivity", { $1.inactivity = $0 }),
            ("reuse-interval", { $1.reuseInterval = $0 }), ("resend-gap", { $1.resendGap = $0 }),
            ("reauthentication", { $1.reauthenticationAge = $0 }),
        ]
    }

    private var numbers: [(String, @Sendable (Int, inout DevServer.Supabase) -> Void)] {
        [
            ("mails-per-hour", { $1.mailsPerHour = $0 }), ("messages-per-hour", { $1.messagesPerHour = $0 }),
            ("anonymous-per-hour", { $1.anonymousPerHour = $0 }), ("password-length", { $1.passwordLength = $0 }),
        ]
    }

    /// Sets what `text` says, `NAME=VALUE`.
    ///
    /// - Throws: A mistake in the command line that lists the names, or says what the name takes.
    func apply(_ text: String, to settings: inout DevServer.Supabase) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let (name, value) = (parts[0], parts.count > 1 ? parts[1] : "")
        guard parts.count == 2 else { throw unknown }
        if let (_, set) = switches.first(where: { $0.0 == name }) {
            guard value == "on" || value == "off" else { throw refusal(name, "usage.gotrueWords", "on, off") }
            return set(value == "on", &settings)
        }
        if let (_, set) = durations.first(where: { $0.0 == name }) {
            guard let duration = line.duration(value) else { throw refusal(name, "usage.gotrueDuration") }
            let (seconds, rest) = duration.components
            return set(Double(seconds) + Double(rest) / 1e18, &settings)
        }
        if let (_, set) = numbers.first(where: { $0.0 == name }) {
            guard let number = Int(value), (0...1_000).contains(number) else {
                throw refusal(name, "usage.gotrueNumber")
            }
            return set(number, &settings)
        }
        try applyOther(name, value, to: &settings)
    }

    private func applyOther(_ name: String, _ value: String, to settings: inout DevServer.Supabase) throws {
        switch name {
        case "tokens": settings.refreshTokens = try choice(name, value)
        case "signing": settings.signing = try choice(name, value)
        case "secret":
            guard value.utf8.count >= 32 else { throw refusal(name, "usage.gotrueSecret") }
            (settings.signing, settings.secret) = (.hs256, value)
        case "captcha":
            guard !value.isEmpty else { throw refusal(name, "usage.gotrueText") }
            settings.captchaToken = value
        case "providers":
            settings.providers = value == "none" ? [] : value.split(separator: ",").map(String.init)
            guard value == "none" || !settings.providers.isEmpty else { throw refusal(name, "usage.gotrueText") }
        case "address-field":
            guard !value.isEmpty else { throw refusal(name, "usage.gotrueText") }
            settings.addressField = value
        default: throw unknown
        }
    }

    private func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ value: String
    ) throws -> Choice {
        guard let found = Choice(rawValue: value) else {
            throw refusal(name, "usage.gotrueWords", Choice.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return found
    }

    private var unknown: any Error {
        let names = switches.map(\.0) + durations.map(\.0) + numbers.map(\.0) + DevServerWords.others
        return line.mistake("usage.gotrueName", ["words": names.joined(separator: ", ")])
    }

    private func refusal(_ name: String, _ key: String, _ words: String = "") -> any Error {
        line.mistake(key, ["name": name, "words": words])
    }
}
