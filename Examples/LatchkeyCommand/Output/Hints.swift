import Latchkey
import LatchkeySupabase

/// What a person does next about an error, one line each.
enum Hints {
    /// How one begins.
    static let firstLogin =
        "Run: latchkey login --issuer URL --client-id ID, or: latchkey login --supabase URL --key KEY"

    /// The hint for `error` with the profile in use.
    static func hint(for error: AuthError, profile: String?, _ texts: ToolTexts = .english) -> String? {
        let option = profile.map { " --profile \($0)" } ?? ""
        if error.provider == Composition.supabase, let hint = ofSupabase(error, option) { return hint }
        switch error.code {
        case .signInRequired: return texts("hint.run", ["command": "latchkey login\(option)"])
        case .offline(.graceOver): return texts("hint.grace")
        case .offline: return texts("hint.network")
        case .serviceTrouble, .rateLimited, .busy: return later(error.retryAfter, texts)
        case .locked: return texts("hint.run", ["command": "latchkey unlock\(option)"])
        case .unlockUnavailable(.lockedOut): return later(error.retryAfter, texts)
        case .unlockUnavailable: return texts("hint.otherUnlock")
        case .refused(.denied), .declined: return texts("hint.unchanged")
        case .refused(.scope): return texts("hint.scope")
        case .refused: return texts("hint.correct")
        case .store(let reason): return hint(for: reason, option)
        case .configuration(.changed):
            return "Restore the profile's issuer and client, or use another profile: latchkey login --profile NAME"
        case .configuration(.clientRefused): return "Check the client id, and how the client's secret is obtained"
        case .configuration: return "Correct the command or the profile: latchkey help"
        case .untrusted: return "Do not repeat it; check the issuer's address, and who may have opened the link"
        case .cancelled: return nil
        }
    }

    private static func ofSupabase(_ error: AuthError, _ option: String) -> String? {
        switch (error.supabase, error.code) {
        case (.insufficientAAL?, _): "Prove a further factor first: latchkey supabase factors verify\(option)"
        case (.linkOfAnotherDevice?, _): "Open it where it was asked for, or type the code of the same mail there"
        case (.sessionNotAskedFor?, _): "Check who sent the link; this program signed nobody in"
        case (.otpDisabled?, _): "Check the address, or make the account: latchkey login --sign-up\(option)"
        case (_, .refused(.captcha)):
            "Sign in in a browser instead: latchkey login --provider NAME\(option)"
        case (_, .configuration(.clientRefused)):
            "Check the key in the project's settings: latchkey login --supabase URL --key KEY\(option)"
        default: nil
        }
    }

    private static func later(_ wait: Duration?, _ texts: ToolTexts) -> String {
        guard let wait, wait > .zero else { return texts("hint.later") }
        return texts("hint.laterBy", ["time": Durations.describe(.seconds(wait.wholeSecondsUp))])
    }

    private static func hint(for reason: AuthError.StoreReason, _ option: String) -> String {
        switch reason {
        case .insecurePermissions:
            "Make it private by the command it names (chmod 600 for a file), then check who used it"
        case .damaged: "The record is kept as it is; move it away and sign in again: latchkey login\(option)"
        case .tampered:
            "Look who can write there before you trust it again; then sign in again: latchkey login\(option)"
        case .rolledBack: "If you restored it on purpose, accept it: latchkey store repair\(option)"
        case .readOnly, .full: "Make the place writable, or free some space"
        case .notDurable: "Run the command again as soon as the place can be written"
        case .newerVersion: "Use the newer version of latchkey that wrote it"
        case .unavailable, .lockTimeout: "Run: latchkey doctor\(option)"
        }
    }
}
