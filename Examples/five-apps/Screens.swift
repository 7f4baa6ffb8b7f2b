import Latchkey
import LatchkeyModel

/// The screens that all five apps have: the form, the lock, the settings of the lock. Everything that they show comes from
/// the model.
@MainActor struct Screens {
    let model: AuthModel
    let keypad: Keypad

    init(_ client: AuthClient, _ keypad: Keypad, _ change: (inout ModelOptions) -> Void) {
        var options = ModelOptions()
        options.methods = [.password]
        change(&options)
        model = AuthModel(client, options)
        self.keypad = keypad
    }

    /// Whether the app may show what belongs to the person.
    var showsContent: Bool {
        guard !model.isShielded else { return false }
        return switch model.state {
        case .signedIn, .offline: true
        default: false
        }
    }

    func open() async -> String {
        await model.start()
        return shown
    }

    /// Takes a tap that all apps know.
    func take(_ tap: Tap) async -> String {
        switch tap.word {
        case "state": break
        case "sign-in": await fill(.signIn, tap)
        case "code":
            model.editChallenge { $0.setEntry(tap[0]) }
            await model.answer()
        case "resume": await model.resume()
        case "go-on": model.dismissNotice()
        case "switch": await turn(to: tap[0])
        case "stay": await model.staySignedIn()
        case "sign-out": await model.signOut()
        default: return await lock(tap)
        }
        if case .succeeded = model.stage { model.dismiss() }
        return shown
    }

    private func lock(_ tap: Tap) async -> String {
        await keypad.type(tap[0])
        switch tap.word {
        case "unlock": await model.unlock()
        case "unlock-on": await model.setUnlockEnabled(true)
        case "unlock-off": await model.setUnlockEnabled(false)
        case "not-now": model.declineUnlockOffer()
        case "lock": await model.lock()
        case "start-over": await model.startOver()
        case "active": await model.setPhase(.active)
        case "inactive": await model.setPhase(.inactive)
        case "background": await model.setPhase(.background)
        default: return "this app has no button \(tap.word)"
        }
        return shown
    }

    /// Fills in the form and sends it.
    func fill(_ purpose: ModelPurpose, _ tap: Tap) async {
        model.show(purpose)
        model.form.identifier = tap[0]
        model.form.setPassword(tap[1])
        for field in model.form.shownFields { model.form.set(field.name, tap[2]) }
        await model.submit()
    }

    private func turn(to label: String) async {
        guard let account = model.accounts.first(where: { $0.label == label }) else { return }
        await model.switchTo(account.id)
    }
}

/// What is shown, in one line.
extension Screens {
    var shown: String {
        var parts = [state]
        if let screen = model.stage.challenge { parts.append("asked: \(screen.instruction(in: language))") }
        if let pause = model.pauseText { parts.append("pause: \(pause)") }
        if let notice = model.notice {
            parts.append(
                "notice \(notice.error.code.name): \(notice.text(in: language)). \(notice.guidance(in: language))")
        }
        if model.offersUnlock { parts.append("offer: \(model.unlockOfferText)") }
        if let warning = model.expiryWarning {
            parts.append("warning: \(warning.text(at: PluginContext.system.clock.now(), in: language))")
        }
        if model.persistence == .thisLaunchOnly { parts.append("for this launch only") }
        if model.isUnlockEnabled { parts.append("with a lock") }
        if model.isShielded { parts.append("covered") }
        return parts.joined(separator: "; ")
    }

    private var language: TextLanguage { model.options.language }

    private var state: String {
        let person = model.person?.label ?? "somebody"
        switch model.state {
        case .restoring: return "loading"
        case .unavailable: return "unavailable"
        case .signedOut: return "sign-in"
        case .locked: return "locked"
        case .signedIn: return "signed in as \(person)"
        case .offline: return "offline as \(person)"
        case .signInAgain(let reason):
            return "sign-in again: \(AuthError(.signInRequired(reason), "").text(in: language))"
        @unknown default: return "unknown"
        }
    }
}
