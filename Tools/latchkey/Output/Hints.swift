import Latchkey
import LatchkeySupabase

/// What a person can do next about an error, one line each.
enum Hints {
    /// The hint for the first login.
    static let firstLogin = ToolText(
        "hint.first",
        [
            "oauth": "latchkey login --issuer URL --client-id ID",
            "supabase": "latchkey login --supabase URL --key KEY",
        ])

    /// The hint for `error` with the profile in use.
    ///
    /// - Parameter isSignIn: Whether the person was signing in, so that the hint does not say to do that.
    static func hint(
        for error: AuthError, profile: String?, isSignIn: Bool = false, _ texts: ToolTexts = .english
    ) -> String? {
        let option = profile.map { " --profile \($0)" } ?? ""
        if let missing = error.missingLibrary {
            return texts(missing.refusal == nil ? "hint.install" : "hint.reinstall", ["package": missing.package])
        }
        if let hint = error.transport?.cause.flatMap({ ofRequest($0, texts) }) { return hint }
        if error.isAnswerLost { return ofLostAnswer(error, isSignIn, option, texts) }
        if error.transport?.code == .timedOut { return texts("hint.slow") }
        if let foreign = error.foreign, let hint = ofForeign(foreign.kind, error.retryAfter, isSignIn, option, texts) {
            return hint
        }
        if error.provider == Composition.supabase, let hint = ofSupabase(error, isSignIn, option, texts) { return hint }
        switch error.code {
        case .signInRequired where isSignIn: return texts("hint.same")
        case .signInRequired: return texts("hint.run", ["command": "latchkey login\(option)"])
        case .offline(.graceOver): return texts("hint.grace")
        case .offline: return texts("hint.network")
        case .serviceTrouble, .rateLimited, .busy: return later(error.retryAfter, texts)
        case .locked: return texts("hint.run", ["command": "latchkey unlock\(option)"])
        case .unlockUnavailable(.lockedOut): return later(error.retryAfter, texts)
        case .unlockUnavailable: return texts("hint.otherUnlock")
        case .refused(.denied) where error.retryAfter != nil: return later(error.retryAfter, texts)
        case .refused(.denied), .declined: return texts("hint.unchanged")
        case .refused(.scope): return texts("hint.scope")
        case .refused(.otherPerson):
            return texts(
                "hint.otherPerson", ["command": "latchkey login\(option) --account NAME --prompt select_account"])
        // Nothing was typed here: the person was in a browser, or at another device.
        case .refused where error.provider == Composition.oauth: return again(isSignIn, option, texts)
        case .refused where error.serviceCode == "form_code_incorrect": return noCode(option, texts)
        case .refused: return texts("hint.correct")
        case .store(let reason): return hint(for: reason, isSignIn, option, texts)
        case .configuration(.changed):
            return texts("hint.changed", ["command": "latchkey login --profile NAME"])
        case .configuration(.clientRefused): return texts("hint.client")
        case .configuration: return texts("hint.configuration", ["command": "latchkey profiles"])
        case .untrusted(.tls): return texts("hint.tls")
        case .untrusted where error.clockDifference != nil:
            return texts("hint.clock", ["command": "latchkey doctor\(option)"])
        case .untrusted: return texts(error.mayBeAttack ? "hint.untrusted" : "hint.unusable")
        case .cancelled: return nil
        }
    }

    /// The hint for a request that got no answer, if the cause says more than the error's code.
    private static func ofRequest(_ cause: TransportError.Cause, _ texts: ToolTexts) -> String? {
        switch cause {
        case .proxy, .proxyRefused: texts("hint.proxy")
        case .proxyPassword: texts("hint.proxyPassword")
        case .certificateExpired, .certificateNotYetValid: texts("hint.certificateTime")
        case .certificateUntrusted, .certificateSelfSigned: texts("hint.authority")
        case .certificateForAnotherHost: texts("hint.certificateHost")
        case .proxyMethod: texts("hint.proxyMethod")
        case .notTLS: texts("hint.notTLS")
        case .tlsTooOld: texts("hint.tlsTooOld")
        case .clientCertificateDemanded: texts("hint.clientCertificate")
        case .authorityFile: texts("hint.authorityFile")
        default: nil
        }
    }

    /// The hint after which the whole of what was begun is begun again: what was spent is of no more use.
    private static func ofLostAnswer(
        _ error: AuthError, _ isSignIn: Bool, _ option: String, _ texts: ToolTexts
    ) -> String {
        let again = again(isSignIn, option, texts)
        return error.transport?.code == .timedOut ? texts("hint.answerLate", ["again": again]) : again
    }

    /// How the person begins again. The command that signed in may have had options that `latchkey login` alone lacks.
    private static func again(_ isSignIn: Bool, _ option: String, _ texts: ToolTexts) -> String {
        isSignIn ? texts("hint.same") : texts("hint.again", ["command": "latchkey login\(option)"])
    }

    /// The hint for an answer that is not the service's; `nil` if there is nothing to do but to wait.
    private static func ofForeign(
        _ kind: ForeignAnswer.Kind, _ wait: Duration?, _ isSignIn: Bool, _ option: String, _ texts: ToolTexts
    ) -> String? {
        switch kind {
        case .networkSignIn: texts("hint.portal")
        case .proxySignIn: texts("hint.proxyPassword")
        case .redirect: texts("hint.redirect")
        case .signIn, .blocked: wait == nil ? texts("hint.gateway") : nil
        case .notFound: texts("hint.notFound")
        case .refused where isSignIn: texts("hint.gateway")
        case .refused: texts("hint.strange", ["command": "latchkey login\(option)"])
        default: nil
        }
    }

    /// The hint for a wrong code. There may have been none: the tool does not tell whether an address has an account.
    private static func noCode(_ option: String, _ texts: ToolTexts) -> String {
        texts("hint.noCode", ["command": "latchkey login --sign-up\(option)"])
    }

    private static func ofSupabase(
        _ error: AuthError, _ isSignIn: Bool, _ option: String, _ texts: ToolTexts
    ) -> String? {
        switch (error.supabase, error.code) {
        case (.insufficientAAL?, _): texts("hint.factor", ["command": "latchkey supabase factors verify\(option)"])
        case (.linkOfAnotherDevice?, _): texts("hint.otherDevice")
        case (.sessionNotAskedFor?, _): texts("hint.notAsked")
        case (.otpDisabled?, _): texts("hint.signUp", ["command": "latchkey login --sign-up\(option)"])
        case (.otpExpired?, _): noCode(option, texts)
        case (_, .refused(.captcha)):
            texts("hint.browser", ["command": "latchkey login --provider NAME\(option)"])
        case (_, .configuration(.clientRefused)) where isSignIn:
            texts("hint.key", ["command": "latchkey login --supabase URL --key KEY\(option)"])
        case (_, .configuration(.clientRefused)):
            texts("hint.key", ["command": "latchkey profiles edit --key KEY\(option)"])
        case (_, .signInRequired(.banned)), (.userBanned?, _): texts("hint.banned")
        case (.mfaFactorNameConflict?, _):
            texts(
                "hint.factorName",
                [
                    "other": "latchkey supabase factors enroll --name NAME\(option)",
                    "list": "latchkey supabase factors\(option)",
                ])
        default: nil
        }
    }

    /// The values of the hint for what is damaged.
    static func repair(_ option: String, isSignIn: Bool = false, _ texts: ToolTexts) -> [String: String] {
        ["repair": "latchkey store repair --set-aside\(option)", "again": again(isSignIn, option, texts)]
    }

    private static func later(_ wait: Duration?, _ texts: ToolTexts) -> String {
        guard let wait, wait > .zero else { return texts("hint.later") }
        return texts("hint.laterBy", ["time": Durations.describe(.seconds(wait.wholeSecondsUp))])
    }

    private static func hint(
        for reason: AuthError.StoreReason, _ isSignIn: Bool, _ option: String, _ texts: ToolTexts
    ) -> String {
        switch reason {
        case .insecurePermissions:
            texts("hint.insecure")
        case .damaged: texts("hint.damaged", repair(option, isSignIn: isSignIn, texts))
        case .tampered: texts("hint.tampered", ["again": again(isSignIn, option, texts)])
        case .rolledBack: texts("hint.rolledBack", ["command": "latchkey store repair --accept-older\(option)"])
        case .readOnly: texts("hint.writable")
        case .full: texts("hint.space")
        case .notDurable: texts("hint.notDurable")
        case .newerVersion: texts("hint.newer")
        case .unavailable, .unknownOutcome, .lockTimeout: texts("hint.run", ["command": "latchkey doctor\(option)"])
        }
    }
}
