import Latchkey
import LatchkeyModel

/// Who is signed in, who else is, and what they can do about it.
@MainActor struct AccountPage {
    private let accounts: [Account]
    private let flash: String?
    private let model: AuthModel
    private let visit: PageVisit
    private let options: WebSignInOptions

    init(
        _ accounts: [Account], _ flash: String?, _ model: AuthModel, _ visit: PageVisit, _ options: WebSignInOptions
    ) {
        (self.accounts, self.flash, self.model, self.visit, self.options) = (accounts, flash, model, visit, options)
    }

    func html(_ frame: PageFrame) -> String {
        guard let person = accounts.first else { return "" }
        let notice = NoticeView(notice: model.notice, route: .account, presses: [.tryAgain, .dismiss])
        let content = """
            \(notice.html(frame))
            \(frame.status(flash.map { frame.text($0) }))
            \(frame.status(standing(person, frame)))
            <p>\(frame.html("signedInAs", ["name": Self.name(person, frame)]))</p>
            \(signOut(person, frame))
            \(others(frame))
            \(unlock(frame))
            <ul class="links">
            <li><a href="\(WebHTML.text(options.home))">\(frame.html("link.home", ["name": options.name]))</a></li>
            <li><a href="\(WebHTML.text(options.path))/sessions">\(frame.html("link.sessions"))</a></li>
            <li><a href="\(WebHTML.text(options.path))/sign-in">\(frame.html("link.add"))</a></li>
            </ul>
            """
        return frame.page(
            frame.text("title.account"), state: notice.isEmpty ? nil : frame.text("state.error"),
            here: options.path + "/account", content)
    }

    static func name(_ account: Account, _ frame: PageFrame) -> String {
        account.label ?? frame.text("account.unnamed")
    }

    /// What is not as usual with the session.
    private func standing(_ person: Account, _ frame: PageFrame) -> String? {
        switch person.state {
        case .offline: frame.text("account.offline")
        case .signInRequired(let reason): AuthError(.signInRequired(reason), "").text(in: frame.language)
        default: nil
        }
    }

    private func signOut(_ account: Account, _ frame: PageFrame) -> String {
        let name = Self.name(account, frame)
        return frame.form(
            .account, with: ["account": FormVisit.name(of: account.id.value)],
            frame.button(frame.text("signOut", ["name": name]), do: "sign-out", quiet: true))
    }

    private func others(_ frame: PageFrame) -> String {
        guard accounts.count > 1 else { return "" }
        let rows = accounts.dropFirst().map { account in
            let name = Self.name(account, frame)
            let buttons =
                frame.button(frame.text("switch", ["name": name]), do: "switch")
                + frame.button(frame.text("signOut", ["name": name]), do: "sign-out", quiet: true)
            let form = frame.form(.account, with: ["account": FormVisit.name(of: account.id.value)], buttons)
            return "<li><p>\(WebHTML.text(name))</p>\(form)</li>"
        }
        return "<h2>\(frame.html("accounts"))</h2><ul class=\"rows\">\(rows.joined())</ul>"
    }

    private func unlock(_ frame: PageFrame) -> String {
        guard model.client.unlockPolicy?.enrolment == .offered else {
            return model.isUnlockEnabled ? lockNow(frame) : ""
        }
        if model.isUnlockEnabled {
            let off = frame.form(.account, frame.button(frame.text("unlock.off"), do: "unlock-off", quiet: true))
            return "<h2>\(frame.html("lock.title"))</h2>\(lockNow(frame))\(off)"
        }
        let field = FieldView(
            name: "proof", label: frame.text("proof.new"), type: "password", autocomplete: "off",
            inputMode: "numeric", hints: [frame.text("proof.hint")])
        let on = frame.form(.account, "\(field.html)\n\(frame.button(frame.text("unlock.on"), do: "unlock-on"))")
        return "<h2>\(WebHTML.text(model.unlockOfferText(in: frame.language)))</h2>\(on)"
    }

    private func lockNow(_ frame: PageFrame) -> String {
        frame.form(.account, frame.button(frame.text("lock"), do: "lock"))
    }
}
