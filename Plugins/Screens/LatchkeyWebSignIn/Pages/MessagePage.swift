import Latchkey
import LatchkeyModel

/// A page that only says something: why a request was not answered as it was meant.
struct MessagePage: Sendable {
    /// The status of the answer.
    var status: Int
    /// The key of the heading, and of what it says below.
    var key: String
    /// What went wrong, in place of a text of its own.
    var notice: ModelNotice?
    /// The methods that are allowed, for 405.
    var allow: String?
    /// The seconds until a new try makes sense.
    var retryAfter: Int64?

    static let notFound = MessagePage(status: 404, key: "message.notFound")
    static let malformed = MessagePage(status: 400, key: "message.malformed")
    static let foreignForm = MessagePage(status: 403, key: "message.foreignForm")
    static let strayReturn = MessagePage(status: 400, key: "message.strayReturn")

    static func tooLarge(_ status: Int) -> MessagePage { MessagePage(status: status, key: "message.tooLarge") }

    static func method(_ route: WebRoute) -> MessagePage {
        let allow = (route.isPage ? ["GET", "HEAD"] : []) + (route.takesForms ? ["POST"] : [])
        return MessagePage(status: 405, key: "message.method", allow: allow.joined(separator: ", "))
    }

    static func failed(_ error: AuthError, _ language: TextLanguage) -> MessagePage {
        MessagePage(
            status: 503, key: "message.failed", notice: ModelNotice(error), retryAfter: error.retryAfter?.seconds ?? 5)
    }

    func html(_ frame: PageFrame) -> String {
        let lines = notice.map { [$0.text(in: frame.language), $0.guidance(in: frame.language)] } ?? [frame.text(key)]
        let content = """
            <div role="alert" class="alert">\(lines.map { "<p>\(WebHTML.text($0))</p>" }.joined())</div>
            <p><a href="\(WebHTML.text(frame.options.path))/sign-in">\(frame.html("link.sign-in"))</a></p>
            """
        return frame.page(frame.text("\(key).title"), state: frame.text("state.error"), here: nil, content)
    }
}
