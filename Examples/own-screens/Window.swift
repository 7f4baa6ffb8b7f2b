import Latchkey
import LatchkeyModel

/// A window over `AuthModel`, made of lines of text. A window of a UI framework has text fields and buttons instead.
@MainActor
struct Window {
    let model: AuthModel

    /// Shows one screen after the other until somebody is signed in or gives up.
    func run() async {
        await model.start()
        while model.state != .signedIn {
            switch model.stage {
            case .form: guard await fillIn() else { return }
            case .asked(let screen): await answer(screen)
            case .succeeded: model.dismiss()
            default: return print(model.pauseText ?? model.elsewhereText ?? "Not now.")
            }
            if let notice = model.notice { print(notice.text(in: .english), notice.guidance(in: .english)) }
        }
        print("Signed in as \(model.person?.label ?? "somebody").")
    }

    private func fillIn() async -> Bool {
        print("Address:")
        guard let address = readLine(), !address.isEmpty else { return false }
        model.form.identifier = address
        if model.form.inputs.contains(.password) {
            print("Password:")
            model.form.setPassword(readLine() ?? "")
        }
        for hint in model.form.hints(in: .english) { print(hint) }
        await model.submit()
        return true
    }

    private func answer(_ screen: ChallengeScreen) async {
        print("\(screen.title(in: .english)): \(screen.instruction(in: .english))")
        guard let typed = readLine(), !typed.isEmpty else {
            await model.cancel()
            return
        }
        model.editChallenge { $0.setEntry(typed) }
        await model.answer()
    }
}
