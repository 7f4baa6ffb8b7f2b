import Latchkey
import LatchkeyModel

/// What went wrong, at the top of a page, where it is read out at once.
struct NoticeView {
    /// The error of the model, with its buttons.
    var notice: ModelNotice?
    /// A pause that the service demands, in words.
    var pause: String?
    /// The fields with a complaint.
    var fields: [FieldView] = []
    /// Where the buttons' form is sent to, and what goes along.
    var route: WebRoute
    var hidden: KeyValuePairs<String, String?> = [:]
    /// The buttons that mean something on this page.
    var presses: Set<ModelNotice.Press> = [.tryAgain]

    var isEmpty: Bool { notice == nil && pause == nil && fields.allSatisfy { $0.complaint == nil } }

    func html(_ frame: PageFrame) -> String {
        guard !isEmpty else { return "" }
        let language = frame.language
        let complaints = fields.filter { $0.complaint != nil }.map { field in
            let text = frame.html("colon", ["name": field.label, "value": field.complaint ?? ""])
            return "<li><a href=\"#\(field.id)\">\(text)</a></li>"
        }
        var lines = [notice?.text(in: language), notice?.guidance(in: language), pause].compactMap(\.self)
        if lines.isEmpty { lines = [frame.text("complaints")] }
        let title = lines.removeFirst()
        let buttons = (notice?.presses ?? []).filter(presses.contains).map { press in
            frame.form(
                route, with: hidden,
                "<button type=\"submit\" name=\"press\" value=\"\(press.rawValue)\">"
                    + "\(WebHTML.text(ModelNotice.text(press, in: language)))</button>")
        }
        return """
            <div role="alert" class="alert" id="alert">
            <p><strong>\(WebHTML.text(title))</strong></p>
            \(lines.map { "<p>\(WebHTML.text($0))</p>" }.joined())
            \(complaints.isEmpty ? "" : "<ul>\(complaints.joined())</ul>")
            </div>
            \(buttons.joined())
            """
    }
}
