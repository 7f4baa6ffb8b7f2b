import LatchkeySystem
import LatchkeyCrypto
import LatchkeyHTTPServer

/// Plain pages in a person's language: no script, no external resources, readable without a style.
struct Page {
    let language: PageLanguage

    /// Creates pages for who sent the request.
    init(for request: ServerRequest) { language = request.language }

    /// Creates pages in a language.
    init(in language: PageLanguage) { self.language = language }

    /// Text from elsewhere, and how it looks within a sentence.
    enum Value {
        case plain(String)
        case strong(String)
        case code(String)
        /// HTML of our own.
        case html(String)

        var html: String {
            switch self {
            case .plain(let text): HTMLText.escape(text)
            case .strong(let text): "<strong>\(HTMLText.escape(text))</strong>"
            case .code(let text): "<code>\(HTMLText.escape(text))</code>"
            case .html(let html): html
            }
        }
    }

    /// Returns the text under `key` as HTML, and the key itself if there is none.
    func text(_ key: String, _ values: [String: Value] = [:]) -> String {
        var rest = (PageTexts.table[key]?(in: language) ?? key)[...]
        var text = ""
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            text += HTMLText.escape(String(rest[..<open]))
            text += values[String(rest[rest.index(after: open)..<close])]?.html ?? ""
            rest = rest[rest.index(after: close)...]
        }
        return text + HTMLText.escape(String(rest))
    }

    /// Returns a whole document.
    ///
    /// - Parameters:
    ///   - title: The key of the heading.
    ///   - problem: What is wrong on the page; its title says so first.
    ///   - mark: The drawing above the heading.
    ///   - content: HTML.
    func answer(
        _ title: String, status: Int = 200, problem: Problem? = nil, mark: Mark? = nil, _ content: String
    ) -> ServerResponse {
        let heading = text(title)
        let bar = problem == nil ? heading : text("error", ["title": .html(heading)])
        let page = """
            <!doctype html>
            <html lang="\(language.rawValue)"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(bar)</title>
            <style>\(PageStyle.sheet)</style></head>
            <body><main\(mark == nil ? "" : " class=\"message\"")>\(mark?.html ?? "")<h1>\(heading)</h1>
            \(content)
            </main><footer><p>\(text("footer"))</p></footer></body></html>

            """
        var response = ServerResponse.html(page, status: status)
        response.set("Content-Security-Policy", Self.policy)
        return response
    }

    /// Returns a page with one paragraph, the text under `key`, and its title.
    func message(_ key: String, status: Int = 200, mark: Mark, title: String? = nil) -> ServerResponse {
        answer(title ?? "\(key).title", status: status, mark: mark, "<p role=\"status\">\(text(key))</p>")
    }

    /// Allows the pages' own style and nothing else. Where a form is sent is left open, because the answer leads to
    /// the client's redirect, which browsers count as well.
    private static let policy: String = {
        let digest = Base64.encode(Hash.digest(Array(PageStyle.sheet.utf8), .sha256))
        return "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; frame-ancestors 'none'"
    }()
}

extension Page {
    /// A drawing for people who see: the words beside it say the same.
    enum Mark {
        case good
        case bad

        fileprivate var html: String {
            let path = self == .good ? "M7 12.5l3.5 3.5L17 9" : "M12 6.5v7M12 17v.5"
            return "<svg class=\"\(self)\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"\(path)\"/></svg>"
        }
    }

    /// What is wrong with what the person sent: the key of its sentence, and the field that it is about.
    struct Problem {
        var text: String
        var field: String
    }

    /// Returns the problem at the top, where it is read out at once and leads to its field.
    func alert(_ problem: Problem?) -> String {
        guard let problem else { return "" }
        return "<p class=\"alert\" role=\"alert\"><a href=\"#\(problem.field)\">\(text(problem.text))</a></p>"
    }

    /// Returns a field with its label, and with the problem if that is about the field.
    func field(_ name: String, label: String, problem: Problem?, attributes: String = "") -> String {
        let isWrong = problem?.field == name
        let tie = isWrong ? " aria-invalid=\"true\" aria-describedby=\"problem\" autofocus" : ""
        let said = isWrong ? "<p class=\"error\" id=\"problem\">\(text(problem?.text ?? ""))</p>" : ""
        return """
            <div class="field"><label for="\(name)">\(text(label))</label>\(said)
            <input id="\(name)" name="\(name)"\(tie)\(attributes)></div>
            """
    }

    /// Returns the end of a form in which a person says who they are, and decides.
    func decision(of users: [DevServer.User], chosen: String?, problem: Problem?) -> String {
        let options = users.map { user in
            let selected = user.name == chosen ? " selected" : ""
            let name = HTMLText.escape(user.name)
            return "<option value=\"\(name)\"\(selected)>\(HTMLText.escape(user.displayName))</option>"
        }
        let (user, decision) = (DevServerWire.username, DevServerWire.decision)
        return """
            <div class="field"><label for="\(user)">\(text("who"))</label>
            <select id="\(user)" name="\(user)">\(options.joined())</select></div>
            \(field(DevServerWire.password, label: "password", problem: problem, attributes: " type=\"password\""))
            <p class="actions"><button class="primary" name="\(decision)" value="approve">\(text("approve"))</button>
            <button name="\(decision)" value="deny">\(text("deny"))</button></p>
            """
    }

    /// Returns a form around `content`, with fields that do not show.
    func form(_ endpoint: DevServer.Endpoint, hidden: [(name: String, value: String)], _ content: String) -> String {
        let fields = hidden.map {
            "<input type=\"hidden\" name=\"\(HTMLText.escape($0.name))\" value=\"\(HTMLText.escape($0.value))\">"
        }
        return """
            <form method="post" action="\(endpoint.path)" autocomplete="off" novalidate>
            \(fields.joined())
            \(content)
            </form>
            """
    }

    /// Returns what each scope allows, in words that a person knows, with its own name beside them.
    func scopes(_ scopes: [String]) -> String {
        let items = scopes.map { scope in
            let name = "<code>\(HTMLText.escape(scope))</code>"
            let key = "scope.\(scope)"
            guard PageTexts.table[key] != nil else { return "<li>\(name)</li>" }
            return "<li>\(text(key)) <span class=\"dim\">\(name)</span></li>"
        }
        return "<ul class=\"scopes\">\(items.joined())</ul>"
    }

    /// Returns how long ago something was, in one unit.
    func ago(_ seconds: Double) -> String {
        let seconds = Int(max(seconds, 0).rounded(.down))
        let (count, unit) =
            switch seconds {
            case ..<5: (0, "now")
            case ..<60: (seconds, "second")
            case ..<3_600: (seconds / 60, "minute")
            case ..<86_400: (seconds / 3_600, "hour")
            default: (seconds / 86_400, "day")
            }
        let key = "ago.\(unit)\(count > 1 ? "s" : "")"
        return text(key, ["n": .plain(String(count))])
    }
}
