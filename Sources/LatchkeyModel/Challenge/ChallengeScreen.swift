public import FoundationEssentials
public import Latchkey

/// A challenge as a screen: what to show, and what the person has entered so far. It names no provider.
///
/// Draw it by ``ask``, which has everything to show: the address that a code was sent to, the key
/// for a QR code, the options of a choice. Secrets in it never reach text by accident.
public struct ChallengeScreen: Sendable, Identifiable {
    /// The kinds of screens.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// See the case of ``/Latchkey/Ask`` of the same name.
        case code, totp, backupCode, enrolment, password, newPassword, choose, fields, visit, device, captcha
        /// See the case of ``/Latchkey/Ask`` of the same name.
        case passkey, wallet
        /// A mail is on its way; the screen waits for its link: ``/Latchkey/Ask/openedLink(sentTo:)``.
        case mail
        /// A challenge of a later version, which this version cannot show. It can only be cancelled.
        case unknown
    }

    /// The challenge's ID.
    public let id: String
    /// What the service asks for.
    public let ask: Ask
    /// When it can no longer be answered, by the service's clock, if that is known.
    public let expiresAt: Date?
    /// Until another code or mail can be requested, if that is possible at all. ``/Latchkey/Countdown/secondsLeft``
    /// is zero once it can.
    public internal(set) var resend: Countdown?
    /// Whether the last answer was wrong and can be corrected.
    public internal(set) var wasWrong = false
    /// The code or password that was typed, as it stands in the text field.
    public private(set) var entry = Secret("")
    /// The values of the fields, by name.
    public private(set) var values: [String: Secret] = [:]
    /// The ID of the chosen option.
    public private(set) var choice: String?
    /// Whether hidden input is shown in clear text.
    public var isEntryShown = false

    init(_ challenge: Challenge, at now: MonotonicInstant) {
        id = challenge.id
        ask = challenge.ask
        expiresAt = challenge.expiresAt
        if kind == .code || kind == .mail, let pause = challenge.resendAfter {
            resend = Countdown(pause, from: now)
        }
    }

    /// Takes the code or password as it stands in the text field.
    public mutating func setEntry(_ text: String) { entry = Secret(text) }

    /// Takes the value of a field.
    public mutating func set(_ field: String, _ text: String) { values[field] = Secret(text) }

    /// Chooses an option; one that is not offered is ignored.
    public mutating func choose(_ option: String) {
        guard case .choose(let options) = ask, options.contains(where: { $0.id == option }) else { return }
        choice = option
    }

    /// Forgets what was typed. Its memory is overwritten.
    public mutating func wipe() {
        (entry, values, choice) = (Secret(""), [:], nil)
        isEntryShown = false
    }
}
