import Latchkey
import LatchkeyModel

/// What every page has around its content. Pages have no script, so each button is a form.
struct PageFrame: Sendable {
    let options: WebSignInOptions
    let language: TextLanguage
    /// The token of forms; `nil` on pages without forms.
    let token: String?
    /// Tells this page's forms from those of the same page shown another time.
    let act: String

    init(_ options: WebSignInOptions, _ language: TextLanguage, token: String?, act: String = "") {
        self.options = options
        self.language = language
        self.token = token
        self.act = act
    }

    func text(_ key: String, _ values: [String: String] = [:]) -> String {
        WebTexts.table.text(key, in: language, values)
    }

    /// Returns `key`'s text as HTML.
    func html(_ key: String, _ values: [String: String] = [:]) -> String { WebHTML.text(text(key, values)) }

    /// Returns the whole page.
    ///
    /// - Parameters:
    ///   - title: The heading, as text.
    ///   - state: What the title in the browser's bar says before the heading, such as that there was an error.
    ///   - here: The path to come back to when another language is chosen; `nil` leaves the choice out.
    ///   - content: HTML.
    func page(_ title: String, state: String? = nil, here: String?, _ content: String) -> String {
        let bar = [state.map { text("colon", ["name": $0, "value": title]) } ?? title, options.name].joined(
            separator: " – ")
        return """
            <!doctype html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(WebHTML.text(bar))</title>
            <link rel="stylesheet" href="\(WebHTML.text(options.path))/style.css">
            </head>
            <body>
            <header><p>\(WebHTML.text(options.name))</p></header>
            <main id="main">
            <h1>\(WebHTML.text(title))</h1>
            \(content)
            </main>
            \(here.map(languages) ?? "")
            </body>
            </html>

            """
    }

    /// Returns a form that is sent to the page at `route`.
    func form(_ route: WebRoute, with hidden: KeyValuePairs<String, String?> = [:], _ content: String) -> String {
        """
        <form method="post" action="\(WebHTML.text("\(options.path)/\(route.rawValue)"))" novalidate>
        \(self.hidden([WebSignIn.tokenField: token, "act": act]))\(self.hidden(hidden))
        \(content)
        </form>
        """
    }

    private func hidden(_ fields: KeyValuePairs<String, String?>) -> String {
        fields.map { name, value in
            value.map { "<input type=\"hidden\" name=\"\(name)\" value=\"\(WebHTML.text($0))\">" } ?? ""
        }.joined()
    }

    /// Returns a button, which sends `do` if it is given.
    func button(_ text: String, do act: String? = nil, quiet: Bool = false, describedBy: String? = nil) -> String {
        let attributes = WebHTML.attributes([
            "name": act.map { _ in "do" }, "value": act, "class": quiet ? "quiet" : nil,
            "aria-describedby": describedBy,
        ])
        return "<button type=\"submit\"\(attributes)>\(WebHTML.text(text))</button>"
    }

    /// Returns a sentence that is read out when the page is shown.
    func status(_ text: String?) -> String {
        text.map { "<p role=\"status\" class=\"status\">\(WebHTML.text($0))</p>" } ?? ""
    }

    private func languages(_ here: String) -> String {
        guard token != nil else { return "" }
        let others = TextLanguage.allCases.filter { $0 != language }.map { other in
            form(
                .language, with: ["language": other.rawValue, "return": here],
                "<button type=\"submit\" class=\"quiet\" lang=\"\(other.rawValue)\">"
                    + "\(WebHTML.text(WebTexts.table.text("language.name", in: other)))</button>")
        }
        return "<footer>\(others.joined())</footer>"
    }
}
