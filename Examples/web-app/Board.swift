import Latchkey
import LatchkeySystem
import LatchkeyWebSignIn

/// The app's own page: the notices of the person who is signed in.
final class Board: Sendable {
    private static let limit = 20

    private let web: WebSignIn
    private let factor: FactorPage
    private let notices = Locked<[AccountID: [String]]>([:])

    init(_ dialect: Dialect, _ web: WebSignIn) {
        self.web = web
        factor = FactorPage(dialect, web)
    }

    func answer(_ request: WebRequest) async -> WebResponse {
        let isForm = request.method == "POST"
        if request.path == "/factor" {
            return await web.respond(to: request) { await self.factor.answer($0, isForm: isForm) }
        }
        guard request.path == "/" else { return WebResponse(status: 404).secured() }
        return await web.respond(to: request) { person in
            if let text = person.form["notice"]?.revealText() { self.add(text, for: person.account.id) }
            return isForm ? Self.back(to: "/") : self.page(person)
        }
    }

    /// The same page for nobody in particular, to compare with.
    func plain() -> WebResponse {
        .page(
            """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>Notice board</title></head><body><main>
            <h1>Notice board</h1><p>Hello.</p></main></body></html>
            """)
    }

    static func back(to place: String) -> WebResponse {
        WebResponse(status: 303, fields: [("Location", place)]).secured()
    }

    private func add(_ text: String, for account: AccountID) {
        guard !text.isEmpty else { return }
        notices.withLock { notices in
            var own = notices[account] ?? []
            own.append(String(text.prefix(200)))
            notices[account] = own.suffix(Self.limit)
        }
    }

    private func page(_ person: WebPerson) -> WebResponse {
        let texts = Self.texts(person.language)
        let own = notices.withLock { $0[person.account.id] ?? [] }
        let content = """
            <p>\(WebHTML.text(texts.hello)) <strong id="person">\(WebHTML.text(person.account.label ?? ""))</strong>.
            <a href="/auth/account">\(WebHTML.text(texts.account))</a></p>
            <p><a href="/factor">\(WebHTML.text(texts.factor))</a></p>
            <ul id="notices">\(own.map { "<li>\(WebHTML.text($0))</li>" }.joined())</ul>
            <form method="post" action="/">
            <input type="hidden" name="\(WebSignIn.tokenField)" value="\(person.formToken)">
            <div class="field"><label for="notice">\(WebHTML.text(texts.notice))</label>
            <input id="notice" name="notice" type="text" autocomplete="off" maxlength="200"></div>
            <button type="submit">\(WebHTML.text(texts.add))</button>
            </form>
            """
        return web.page(texts.title, for: person, content: content)
    }

    private static func texts(
        _ language: TextLanguage
    ) -> (title: String, hello: String, account: String, factor: String, notice: String, add: String) {
        language == .french
            ? ("Vos notes", "Bonjour,", "Votre compte", "Ajouter une application", "Note", "Épingler")
            : ("Your notices", "Hello,", "Your account", "Add an authenticator app", "Notice", "Pin it")
    }
}
