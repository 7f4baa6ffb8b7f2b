import LatchkeySystem
import Latchkey
import LatchkeyHTTPServer

/// The page that the browser comes back to: only words, nothing from the request, no external resources.
enum Page: Sendable {
    /// The sign-in succeeded, for the account of this name.
    case signedIn(String?)
    /// The person goes on in the app: it asks for something else, or does not say how the sign-in ended.
    case goesOn
    /// The sign-in ended without a session.
    case failed(AuthError)
    /// A failure that another program could have caused. The app continues to wait.
    case doubtful
    /// The sign-in goes on. The browser asks again by itself, at this path.
    case finishing(String)
    /// The sign-in is over, and was about another redirect.
    case over
    /// Not the answer to the sign-in. The app continues to wait.
    case stray(StrayRedirect)
    /// A browser that is not listened to. The app continues to wait, and may take the address by pasting.
    case refused(StrayRedirect, canPaste: Bool)

    /// Creates the page for the end of a conversation.
    init(_ end: Result<ConversationEnd, AuthError>) {
        switch end {
        case .success(.signedIn(let session)): self = .signedIn(session.label)
        case .success(.continuesElsewhere): self = .goesOn
        case .failure(let error): self = .failed(error)
        }
    }

    /// Returns the page as an answer.
    ///
    /// - Parameter app: The app's name; `nil` if it has told none.
    func response(in language: PageLanguage, app: String?) -> ServerResponse {
        let words = PageWords(self, in: language, app: app)
        let name = app.map { "<header><p>\(HTMLText.escape(String($0.prefix(100))))</p></header>" } ?? ""
        let page = """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(words.bar)</title>
            <style>\(PageStyle.sheet)</style></head>
            <body>\(name)<main>\(mark)<h1>\(words.title)</h1>
            \(words.paragraphs)</main></body></html>

            """
        var response = Self.guarded(ServerResponse.html(page, status: status))
        // The field and not an element, because tools for people with a screen reader judge by the element.
        if case .finishing(let place) = self { response.set("Refresh", "1;url=\(place)") }
        return response
    }

    /// A short refusal of a request that is not the redirect.
    static func refusal(_ status: Int) -> ServerResponse {
        guarded(ServerResponse.text("This is not the address of the redirect.\n", status: status))
    }

    /// Adds the fields that every answer of the listener has.
    static func guarded(_ response: ServerResponse) -> ServerResponse {
        var response = response
        response.set("Connection", "close")
        response.set("Cache-Control", "no-store")
        response.set("Referrer-Policy", "no-referrer")
        response.set("X-Content-Type-Options", "nosniff")
        let policy = "default-src 'none'; style-src '\(PageStyle.digest)'; base-uri 'none'; form-action 'none'; "
        response.set("Content-Security-Policy", policy + "frame-ancestors 'none'")
        return response
    }

    private var status: Int {
        switch self {
        case .over: 410
        case .stray(let kind), .refused(let kind, _): kind.status
        default: 200
        }
    }

    /// A drawing for people who see: the words beside it say the same.
    private var mark: String {
        let (look, path) =
            switch self {
            case .signedIn: ("good", "M7 12.5l3.5 3.5L17 9")
            case .failed, .doubtful, .stray, .refused: ("bad", "M12 6.5v7M12 17v.5")
            case .goesOn, .over: ("plain", "M7 12h9M12.5 8l4 4-4 4")
            case .finishing: ("plain", "M7 12h.01M12 12h.01M17 12h.01")
            }
        return "<svg class=\"\(look)\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"\(path)\"/></svg>"
    }
}
