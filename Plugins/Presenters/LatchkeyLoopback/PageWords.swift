import LatchkeySystem
import Latchkey
import LatchkeyHTTPServer

/// What a page says, as HTML.
struct PageWords {
    /// The words in the browser's bar.
    private(set) var bar = ""
    /// The heading.
    private(set) var title = ""
    /// Everything below the heading.
    private(set) var paragraphs = ""
    private let language: TextLanguage
    private let app: String?

    init(_ page: Page, in language: PageLanguage, app: String?) {
        self.language = TextLanguage(rawValue: language.rawValue) ?? .english
        self.app = app.map { HTMLText.escape(String($0.prefix(100))) }
        switch page {
        case .signedIn(let label):
            add("signedIn", account: label)
            note("close")
        case .goesOn:
            add("goesOn")
            note("close")
        case .failed(let error):
            add("failed")
            // The service's own words are marked as such.
            let said =
                error.serviceText.map { "<p><bdi>\(HTMLText.escape($0.text(in: self.language)))</bdi></p>" } ?? ""
            paragraphs = "<p>\(sentence(of: error))</p>\(said)<p>\(own("next.\(error.recovery.rawValue)"))</p>"
            note("close.failed")
        case .doubtful:
            add("doubtful")
            note("close")
        case .finishing(let place):
            add("finishing")
            paragraphs += "<p><a href=\"\(place)\">\(own("finishing.again"))</a></p>"
        case .stray(let kind):
            add("doubtful")
            paragraphs = "<p>\(own("stray.\(kind.rawValue)"))</p>\(paragraphs)"
            note("close")
        case .refused(let kind, let canPaste):
            add(canPaste ? "refused.paste" : "refused", title: "refused.title")
            paragraphs = "<p>\(own("stray.\(kind.rawValue)"))</p>\(paragraphs)"
        case .over:
            add("over")
            note("close")
        }
        bar = self.app.map { "\(title) – \($0)" } ?? title
    }

    private mutating func add(_ key: String, title other: String? = nil, account: String? = nil) {
        title = own(other ?? "\(key).title")
        guard let account else {
            paragraphs = "<p>\(own(key))</p>"
            return
        }
        // Its direction is its own, whatever its first letters are.
        let name = "<strong><bdi>\(HTMLText.escape(String(account.prefix(200))))</bdi></strong>"
        paragraphs = "<p>\(own("\(key).account", account: name))</p>"
    }

    private mutating func note(_ key: String) { paragraphs += "<p class=\"note\">\(own(key))</p>" }

    /// The error in words that hold nothing of the service's.
    private func sentence(of error: AuthError) -> String {
        switch error.code {
        case .refused(.denied), .declined: own("failed.denied")
        case .refused(.expired): own("failed.expired")
        case .cancelled: own("failed.cancelled")
        default: HTMLText.escape(error.text(in: language)) + "."
        }
    }

    /// Returns the text under `key`. The texts hold nothing that is to be escaped; the values are HTML.
    private func own(_ key: String, account: String = "") -> String {
        let table = LoopbackTexts.table
        let isFirst = table.text(key, in: language).hasPrefix("{app}")
        let name = app ?? table.text(isFirst ? "app.first" : "app", in: language)
        return table.text(key, in: language, ["app": name, "account": account])
    }
}
