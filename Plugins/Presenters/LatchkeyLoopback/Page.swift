import Latchkey
import LatchkeyHTTPServer

/// The final page in the browser: only words, nothing from the request, no external resources.
enum Page {
    case arrived
    case failed
    /// A failure that another program could have sent. The app continues to wait.
    case doubtful
    case over

    func response(in language: PageLanguage) -> ServerResponse {
        let (title, text) = words(in: language)
        let page = """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1"><title>\(title)</title>
            <style>\(PageStyle.sheet)</style></head>
            <body><main><h1>\(title)</h1><p>\(text)</p></main></body></html>

            """
        return Self.guarded(ServerResponse.html(page, status: self == .over ? 410 : 200))
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
        let policy = "default-src 'none'; style-src '\(PageStyle.digest)'; base-uri 'none'; frame-ancestors 'none'"
        response.set("Content-Security-Policy", policy)
        return response
    }

    private func words(in language: PageLanguage) -> (title: String, text: String) {
        let language = TextLanguage(rawValue: language.rawValue) ?? .english
        return (
            LoopbackTexts.table.text("\(self).title", in: language), LoopbackTexts.table.text("\(self)", in: language)
        )
    }
}

/// A language of the pages.
enum PageLanguage: String {
    case english = "en"
    case french = "fr"

    /// Chooses the language that `header` prefers (RFC 9110, section 12.5.4); English if the header has neither.
    init(accepting header: String?) {
        var best: (language: PageLanguage, weight: Double)?
        for range in (header ?? "").split(separator: ",").prefix(20) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            guard let tag = parts.first?.split(separator: "-").first,
                let language = PageLanguage(rawValue: String(tag))
            else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        self = best?.language ?? .english
    }
}
