import FoundationEssentials
import Latchkey
import LatchkeyModel

/// The browsers in which the person is signed in.
@MainActor struct SessionsPage {
    private let person: Account
    private let browsers: [PersonRecord.Browser]
    private let flash: String?
    private let model: AuthModel
    private let visit: PageVisit
    private let options: WebSignInOptions

    init(
        _ person: Account, _ browsers: [PersonRecord.Browser], _ flash: String?, _ model: AuthModel,
        _ visit: PageVisit, _ options: WebSignInOptions
    ) {
        (self.person, self.browsers, self.flash) = (person, browsers, flash)
        (self.model, self.visit, self.options) = (model, visit, options)
    }

    func html(_ frame: PageFrame) -> String {
        let notice = NoticeView(notice: model.notice, route: .sessions, presses: [.tryAgain])
        let rows = browsers.enumerated().map { index, browser in
            let isHere = browser.id == visit.holder.id
            let since = Self.date(browser.since)
            let act = frame.text(isHere ? "session.endHere" : "session.end")
            let form = frame.form(
                .sessions, with: ["session": FormVisit.name(of: browser.id)],
                frame.button(act, do: "end", quiet: true, describedBy: "session-\(index)"))
            return """
                <li><p id="session-\(index)">\(frame.html(isHere ? "session.here" : "session.other")), \
                \(frame.html("session.since")) <time datetime="\(since.machine)">\(since.text)</time></p>\(form)</li>
                """
        }
        let content = """
            \(notice.html(frame))
            \(frame.status(flash.map { frame.text($0) }))
            <p>\(frame.html("sessions", ["name": AccountPage.name(person, frame)]))</p>
            <ul class="rows">\(rows.joined())</ul>
            \(frame.form(.sessions, frame.button(frame.text("session.endAll"), do: "end-all")))
            <ul class="links"><li><a href="\(WebHTML.text(options.path))/account">\(frame.html("title.account"))</a></li></ul>
            """
        return frame.page(
            frame.text("title.sessions"), state: notice.isEmpty ? nil : frame.text("state.error"),
            here: options.path + "/sessions", content)
    }

    /// A point in time in UTC (RFC 3339), since nobody can tell the person's own time without a script.
    private static func date(_ seconds: Int64) -> (machine: String, text: String) {
        let machine = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return (machine, machine.dropLast(4).split(separator: "T").joined(separator: " ") + " UTC")
    }
}
