import Latchkey
import LatchkeyModel
import LatchkeyOAuthCore

/// Where the person goes on when a conversation ended without a session.
@MainActor struct ElsewherePage {
    private let model: AuthModel
    private let visit: PageVisit
    private let options: WebSignInOptions

    init(_ model: AuthModel, _ visit: PageVisit, _ options: WebSignInOptions) {
        (self.model, self.visit, self.options) = (model, visit, options)
    }

    func html(_ frame: PageFrame) -> String {
        var link = ""
        if case .elsewhere(.page(let url)) = model.stage, let address = WebAddress(url), address.isSecure {
            link =
                "<p><a class=\"button\" rel=\"noreferrer\" href=\"\(WebHTML.text(url))\">\(frame.html("visit.go"))</a></p>"
        }
        let content = """
            \(frame.status(model.elsewhereText(in: frame.language)))
            \(link)
            <p><a href="\(WebHTML.text(options.path))/sign-in">\(frame.html("link.sign-in"))</a></p>
            """
        return frame.page(frame.text("title.elsewhere"), here: options.path + "/challenge", content)
    }
}

/// The person was signed in by something that happened elsewhere. A button gives this browser its session.
@MainActor struct SucceededPage {
    private let model: AuthModel
    private let visit: PageVisit
    private let options: WebSignInOptions

    init(_ model: AuthModel, _ visit: PageVisit, _ options: WebSignInOptions) {
        (self.model, self.visit, self.options) = (model, visit, options)
    }

    func html(_ frame: PageFrame) -> String {
        let title = model.successText(in: frame.language) ?? frame.text("continue")
        return frame.page(
            title, here: options.path + "/challenge",
            frame.form(.challenge, frame.button(frame.text("continue"), do: "check")))
    }
}

/// The lock screen.
@MainActor struct LockPage {
    private let model: AuthModel
    private let visit: PageVisit
    private let options: WebSignInOptions

    init(_ model: AuthModel, _ visit: PageVisit, _ options: WebSignInOptions) {
        (self.model, self.visit, self.options) = (model, visit, options)
    }

    func html(_ frame: PageFrame) -> String {
        let back = visit.query["return"].flatMap(LocalPath.init)?.text
        let wrong = model.notice?.error.code == .refused(.wrongInput)
        let field = FieldView(
            name: "proof", label: frame.text("proof"), type: "password", autocomplete: "off", inputMode: "numeric",
            complaint: wrong ? frame.text("wrong") : nil)
        let notice = NoticeView(
            notice: model.notice, fields: [field], route: .locked, presses: [])
        let content = """
            \(notice.html(frame))
            <p>\(frame.html("locked"))</p>
            \(frame.form(.locked, with: ["return": back], "\(field.html)\n\(frame.button(frame.text("unlock"), do: "unlock"))"))
            <h2>\(frame.html("startOver.title"))</h2>
            <p id="start-over">\(frame.html("startOver"))</p>
            \(frame.form(.locked, frame.button(frame.text("startOver.do"), do: "start-over", quiet: true, describedBy: "start-over")))
            """
        return frame.page(
            frame.text("title.locked"), state: notice.isEmpty ? nil : frame.text("state.error"),
            here: options.path + "/locked", content)
    }
}
